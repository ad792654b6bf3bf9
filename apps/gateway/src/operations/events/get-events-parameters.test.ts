import { channel, refusedWith, send, succeeded, toChannel, useScene } from "@carillon/testkit";
import { expect } from "chai";

const register = "/api/v1/register";
const events = "/api/v1/events";

// events.md §1–3: malformed parameters that no client sends on purpose.
describe("Malformed parameters of GET /events and DELETE /events", () => {
  const scene = useScene();
  const member = () => scene.as(scene.org.member);
  const usable = async (params: Record<string, unknown>) =>
    succeeded(await member().post(register, { fetch_event_types: [], ...params }));

  const poll = (params: Record<string, unknown>) => member().get(events, params);

  it("refuses malformed event IDs and IDs that the queue cannot have issued yet", async () => {
    const { queue_id, last_event_id: last } = await usable({});
    for (const id of [
      "",
      "null",
      "abc",
      "1.5",
      "1e3",
      "true",
      '"1"',
      "[1]",
      "9".repeat(400),
      "10000000000000000",
      "9223372036854775808",
      (last as number) + 1_024,
    ])
      refusedWith(await poll({ queue_id, last_event_id: id, dont_block: true }));
    const fine = { queue_id, dont_block: true };
    succeeded(await poll({ ...fine, last_event_id: last }));
    for (const dont_block of ["1", "null", "", '"true"'])
      refusedWith(await poll({ queue_id, last_event_id: last, dont_block }));
  });

  it("treats every negative ID as none", async () => {
    const { queue_id } = await usable({ event_types: ["message"] });
    const room = await channel(scene.db, scene.org.realm, { subscribers: [scene.org.member] });
    await send(member(), toChannel(room.id));
    for (const id of ["-1", "-2", "-1024", "-10000000000000000"]) {
      const { events: received } = succeeded(await poll({ queue_id, last_event_id: id }));
      expect(received).to.have.lengthOf(1);
    }
  });

  for (const id of ["", " ", "null", "0", "-1", "\u202e", "x".repeat(10_000), "%00", "{}"])
    it(`reports queue ${JSON.stringify(id.slice(0, 20))} as unknown`, async () => {
      const code = "BAD_EVENT_QUEUE_ID";
      refusedWith(await poll({ queue_id: id, last_event_id: -1 }), code, { queue_id: id });
      refusedWith(await member().delete(events, { queue_id: id }), code, { queue_id: id });
    });

  it("refuses a queue ID with U+0000", async () => {
    refusedWith(await poll({ queue_id: "\0", last_event_id: -1 }));
    refusedWith(await member().delete(events, { queue_id: "\0" }));
  });

  it("refuses to read or delete another account's queue, also for bots and owners", async () => {
    const { queue_id, last_event_id } = await usable({});
    const { owner, admin, guest, bot } = scene.org;
    for (const other of [owner, admin, guest, bot]) {
      const client = scene.as(other);
      const code = "BAD_EVENT_QUEUE_ID";
      const asked = await client.get(events, { queue_id, last_event_id, dont_block: true });
      refusedWith(asked, code, { queue_id });
      refusedWith(await client.delete(events, { queue_id }), code, { queue_id });
    }
    succeeded(await poll({ queue_id, last_event_id, dont_block: true }));
  });

  it("deletes a queue that is named in the query", async () => {
    const { queue_id } = await usable({});
    succeeded(await member().send("DELETE", `${events}?queue_id=${String(queue_id)}`));
    refusedWith(await poll({ queue_id, last_event_id: -1 }), "BAD_EVENT_QUEUE_ID", { queue_id });
  });
});
