import {
  bot,
  channel,
  channelMessage,
  deliverNow,
  directMessage,
  inSeconds,
  missing,
  organization,
  type Params,
  recordOf,
  refused,
  refusedWith,
  schedule,
  scheduledMessage,
  scheduledMessagesPath,
  storedRow,
  succeeded,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
  withAgent,
} from "@carillon/testkit";
import { expect } from "chai";

const unknown = 1_000_000_000;

describe("Editing a scheduled message", () => {
  const scene = useScene();
  let room: TestChannel;
  let client: ReturnType<typeof scene.as>;
  let sender: TestAccount;
  let id: number;

  before(async () => {
    sender = scene.org.member;
    client = scene.as(sender);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });
  beforeEach(async () => {
    id = await schedule(client, channelMessage(room.id));
  });

  const edit = (params: Params, which: number | string = id) =>
    client.patch(`${scheduledMessagesPath}/${which}`, params);
  const editRefused = (params: Params, which = id, status = 400) =>
    refused(scene.db, () => edit(params, which), "BAD_REQUEST", {}, status);

  describe("(1) without a change", () => {
    it("is refused, also for an unknown row", async () => {
      await editRefused({});
      await editRefused({}, unknown);
    });

    it("is refused with parameters that cannot be changed", async () => {
      await editRefused({ read_by_sender: true });
      await editRefused({ read_by_sender: true, foo: "bar" }, unknown);
    });
  });

  describe("(2) with a type", () => {
    it("requires a destination, even for the same type", async () => {
      for (const type of ["channel", "stream", "direct", "private"]) await editRefused({ type });
      await editRefused({ type: "channel", topic: "x", content: "y" });
      await editRefused({ type: "direct" }, unknown);
    });

    it("requires a topic for a channel, which may be empty", async () => {
      for (const type of ["channel", "stream"]) await editRefused({ type, to: room.id });
      await editRefused({ type: "channel", to: room.id }, unknown);
      succeededWithoutFields(await edit({ type: "channel", to: room.id, topic: "" }));
      expect((await recordOf(client, id)).topic).to.equal("");
    });
  });

  describe("(4) with a time", () => {
    it("requires a future time up to the year 9999", async () => {
      for (const time of [0, -5, inSeconds(-1), 253_402_300_800]) {
        await editRefused({ scheduled_delivery_timestamp: time });
      }
      await editRefused({ scheduled_delivery_timestamp: 1 }, unknown);
    });

    it("reschedules the message with another delivery job", async () => {
      const at = inSeconds(7_200);
      const before = scene.gateway.deliveries.length;
      succeededWithoutFields(await edit({ scheduled_delivery_timestamp: at }));
      const record = await recordOf(client, id);
      expect(record).to.include({
        scheduled_delivery_timestamp: at,
        content: "hello",
        topic: "lunch",
      });
      expect(scene.gateway.deliveries.length).to.equal(before + 1);
      expect((await storedRow(scene.db, id))?.version).to.equal(2);
    });

    it("forgets the delivery job of the old time", async () => {
      const enqueued = "UPDATE scheduled_messages SET alarmed_at = now() WHERE id = $1";
      await scene.db.rows(enqueued, [id]);
      succeededWithoutFields(await edit({ scheduled_delivery_timestamp: inSeconds(7_200) }));
      expect((await storedRow(scene.db, id))?.enqueued).to.equal(false);
      await scene.db.rows(enqueued, [id]);
      refusedWith(await edit({ scheduled_delivery_timestamp: 1 }));
      expect((await storedRow(scene.db, id))?.enqueued).to.equal(true);
    });
  });

  describe("(5) for a row", () => {
    const change = { content: "changed" };

    it("that is unknown answers 404", async () => {
      for (const which of [unknown, 0, "9007199254740993", "9223372036854775808", "9".repeat(60)]) {
        missing(await edit(change, which));
      }
    });

    it("whose ID is not a number answers 404", async () => {
      for (const which of ["abc", "-1", "1.5", "0x1"]) {
        refusedWith(await edit(change, which), "NOT_FOUND");
      }
    });

    it("of another account answers 404, to owners and in other organizations too", async () => {
      missing(await scene.as(scene.org.owner).patch(`${scheduledMessagesPath}/${id}`, change));
      const other = await organization(scene.db);
      missing(await scene.as(other.owner).patch(`${scheduledMessagesPath}/${id}`, change));
      expect((await recordOf(client, id)).content).to.equal("hello");
    });

    it("that is a reminder answers 404", async () => {
      const row = { kind: 2, reminderTargetMessageId: 1 };
      const reminder = await scheduledMessage(scene.db, sender, [sender], { row });
      await editRefused(change, reminder.id, 404);
    });

    it("that was deleted answers 404", async () => {
      succeededWithoutFields(await client.delete(`${scheduledMessagesPath}/${id}`));
      missing(await edit(change));
    });

    it("(6) that was delivered is refused", async () => {
      await deliverNow(scene.db, scene.org.realm, [id]);
      refusedWith(await edit(change));
      refusedWith(await edit({ scheduled_delivery_timestamp: inSeconds(60) }));
      expect((await storedRow(scene.db, id))?.delivered).to.equal(true);
    });

    it("is looked up before the new destination is checked", async () => {
      const nowhere = { to: 2_000_000_000 };
      missing(await edit(nowhere, unknown));
      await deliverNow(scene.db, scene.org.realm, [id]);
      refusedWith(await edit(nowhere));
    });

    it("refuses bots that may only send", async () => {
      const webhook = scene.as(await bot(scene.db, sender, { botType: 2 }));
      refusedWith(
        await webhook.patch(`${scheduledMessagesPath}/${id}`, change),
        "UNAUTHORIZED",
        {},
        401,
      );
      refusedWith(await webhook.delete(`${scheduledMessagesPath}/${id}`), "UNAUTHORIZED");
      const nobody = scene.gateway.anonymous;
      refusedWith(
        await nobody.patch(`${scheduledMessagesPath}/${id}`, change),
        "UNAUTHORIZED",
        {},
        401,
      );
      refusedWith(await nobody.delete(`${scheduledMessagesPath}/${id}`), "UNAUTHORIZED");
    });
  });

  it("keeps omitted fields, renders again and returns no fields", async () => {
    const before = await recordOf(client, id);
    succeededWithoutFields(await edit({ content: "\n*new*  " }));
    expect(await recordOf(client, id)).to.deep.equal({
      ...before,
      content: "*new*",
      rendered_content: "<p><em>new</em></p>",
    });
  });

  it("counts as a change even if no value differs", async () => {
    succeededWithoutFields(await edit({ content: "hello", topic: "lunch" }));
    expect((await storedRow(scene.db, id))?.version).to.equal(2);
  });

  it("truncates long values", async () => {
    succeededWithoutFields(await edit({ content: "x".repeat(10_001), topic: "😀".repeat(61) }));
    const record = await recordOf(client, id);
    expect(record.topic).to.equal(`${"😀".repeat(57)}...`);
    expect(record.content).to.equal(`${"x".repeat(9_980)}\n[message truncated]`);
  });

  it("reports fields that cannot be changed, and changes the others", async () => {
    const answer = await edit({
      topic: "tea",
      read_by_sender: true,
      scheduled_message_id: 7,
      zz: 1,
    });
    expect(succeeded(answer)).to.deep.equal({
      result: "success",
      msg: "",
      ignored_parameters_unsupported: ["read_by_sender", "scheduled_message_id", "zz"],
    });
    expect((await recordOf(client, id)).topic).to.equal("tea");
  });

  it("stores the editing client and keeps read_by_sender", async () => {
    const created = await withAgent(client, "website")(
      scheduledMessagesPath,
      channelMessage(room.id),
    );
    const own = succeeded(created)["scheduled_message_id"] as number;
    expect(await storedRow(scene.db, own)).to.include({ client: "website", readBySender: true });
    const body = new URLSearchParams({ topic: "other" });
    const headers = { "User-Agent": "ZulipPython/0.9" };
    succeededWithoutFields(
      await client.send("PATCH", `${scheduledMessagesPath}/${own}`, { body, headers }),
    );
    expect(await storedRow(scene.db, own)).to.include({
      client: "ZulipPython",
      readBySender: true,
    });
  });

  for (const [name, values] of [
    ["type", ["", "email", "Direct"]],
    ["scheduled_delivery_timestamp", ["", "soon", "1e12", "null", '"4102444800"', "4102444800.5"]],
    ["to", ["", "null", "true", "{}", "general", "1.0", '"1"']],
  ] as const) {
    it(`refuses ${name} of the wrong type`, async () => {
      for (const value of values) await editRefused({ [name]: value });
      for (const value of values)
        await editRefused({ ...directMessage([sender.id]), [name]: value });
    });
  }

  it("reads its parameters from the query too", async () => {
    const query = new URLSearchParams({ topic: "from the query" });
    succeededWithoutFields(await client.send("PATCH", `${scheduledMessagesPath}/${id}?${query}`));
    expect((await recordOf(client, id)).topic).to.equal("from the query");
  });

  it("accepts subject as the topic, but not both", async () => {
    succeededWithoutFields(await edit({ subject: "by the old name" }));
    expect((await recordOf(client, id)).topic).to.equal("by the old name");
    await refused(scene.db, () => edit({ subject: "a", topic: "b" }), "REQUEST_CONFUSING_VAR");
  });
});
