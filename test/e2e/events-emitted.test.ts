import {
  ascendingIds,
  changeChannel,
  channel,
  channelMessage,
  deliverNow,
  directMessage,
  eventsOf,
  inSeconds,
  type LoggedEvent,
  recordOf,
  schedule,
  scheduleAndRead,
  scheduledMessagesPath,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const names = (events: readonly LoggedEvent[]) =>
  events.map(({ type, op }) => (op === null ? type : `${type}/${op}`));

describe("Events of scheduled messages", () => {
  const scene = useScene();
  let sender: TestAccount;
  let client: ReturnType<typeof scene.as>;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    client = scene.as(sender);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.guest] });
  });

  const during = <T>(work: () => Promise<T>) => eventsOf(scene.db, scene.org.realm.id, work);

  for (const kind of ["channel", "direct"] as const) {
    it(`send the sender alone a new ${kind} message with the whole record`, async () => {
      const params =
        kind === "channel" ? channelMessage(room.id) : directMessage([scene.org.guest.id]);
      const { result, events } = await during(() => scheduleAndRead(client, params));
      expect(names(events)).to.deep.equal(["scheduled_messages/add"]);
      expect(events[0]?.audience).to.deep.equal([sender.id]);
      expect(events[0]?.payload).to.deep.equal({ scheduled_messages: [result] });
    });
  }

  it("send the sender alone an edit with the whole record, even if nothing differs", async () => {
    const id = await schedule(client, channelMessage(room.id));
    for (const content of ["new", "new"]) {
      const { events } = await during(async () =>
        succeededWithoutFields(await client.patch(`${scheduledMessagesPath}/${id}`, { content })),
      );
      expect(names(events)).to.deep.equal(["scheduled_messages/update"]);
      expect(events[0]?.audience).to.deep.equal([sender.id]);
      expect(events[0]?.payload).to.deep.equal({ scheduled_message: await recordOf(client, id) });
    }
  });

  it("contain an edit without effect on a direct message", async () => {
    const id = await schedule(client, directMessage([scene.org.guest.id]));
    const { events } = await during(() =>
      client.patch(`${scheduledMessagesPath}/${id}`, { topic: "x" }),
    );
    expect(names(events)).to.deep.equal(["scheduled_messages/update"]);
    expect(events[0]?.payload).to.deep.equal({ scheduled_message: await recordOf(client, id) });
  });

  it("contain the rescheduling of a failed message", async () => {
    const id = await schedule(client, channelMessage(room.id));
    await changeChannel(scene.db, room, { isArchived: true });
    await deliverNow(scene.db, scene.org.realm, [id]);
    const time = { scheduled_delivery_timestamp: inSeconds(60) };
    const { events } = await during(() => client.patch(`${scheduledMessagesPath}/${id}`, time));
    expect(names(events)).to.deep.equal(["scheduled_messages/update"]);
    expect(events[0]?.payload["scheduled_message"]).to.include({ failed: false, ...time });
  });

  it("send the sender alone a deletion, once", async () => {
    const id = await schedule(client, channelMessage(room.id));
    const { events } = await during(async () => {
      await client.delete(`${scheduledMessagesPath}/${id}`);
      await client.delete(`${scheduledMessagesPath}/${id}`);
    });
    expect(names(events)).to.deep.equal(["scheduled_messages/remove"]);
    expect(events[0]?.audience).to.deep.equal([sender.id]);
    expect(events[0]?.payload).to.deep.equal({ scheduled_message_id: id });
  });

  it("send all receivers the delivered message, and the sender the removal", async () => {
    const id = await schedule(client, channelMessage(room.id, { read_by_sender: true }));
    const { events } = await during(() => deliverNow(scene.db, scene.org.realm, [id]));
    expect(names(events)).to.have.members(["message", "user_topic", "scheduled_messages/remove"]);
    const [message] = events.filter(({ type }) => type === "message");
    expect(message?.audience?.toSorted((a, b) => a - b)).to.deep.equal(
      ascendingIds(sender, scene.org.guest),
    );
    const [removed] = events.filter(({ type }) => type === "scheduled_messages");
    expect(removed).to.deep.include({
      payload: { scheduled_message_id: id },
      audience: [sender.id],
    });
    const [topic] = events.filter(({ type }) => type === "user_topic");
    expect(topic?.audience).to.deep.equal([sender.id]);
  });

  it("send the sender the failure and the notice, and nothing to others", async () => {
    const id = await schedule(client, channelMessage(room.id));
    await changeChannel(scene.db, room, { isArchived: true });
    const { events } = await during(() => deliverNow(scene.db, scene.org.realm, [id]));
    expect(names(events)).to.have.members(["scheduled_messages/update", "message"]);
    const [failed] = events.filter(({ type }) => type === "scheduled_messages");
    expect(failed?.audience).to.deep.equal([sender.id]);
    expect(failed?.payload).to.deep.equal({ scheduled_message: await recordOf(client, id) });
    const [notice] = events.filter(({ type }) => type === "message");
    const { notificationBot } = scene.org;
    for (const receiver of notice?.audience ?? []) {
      expect(ascendingIds(sender, notificationBot)).to.include(receiver);
    }
    expect(notice?.audience).to.include(sender.id);
    expect(notice?.payload["message"]).to.include({
      sender_id: notificationBot.id,
      type: "private",
    });
  });

  it("follow the order of delivery within a batch", async () => {
    const ids = [];
    for (const content of ["a", "b", "c"]) {
      ids.push(await schedule(client, channelMessage(room.id, { content })));
    }
    await scene.db.rows(
      "UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - interval '5 s' WHERE id = ANY($1)",
      [ids],
    );
    const { events } = await during(() => deliverNow(scene.db, scene.org.realm, []));
    const sent = events.filter(({ type }) => type === "message");
    const contents = sent.map(({ payload }) => (payload["message"] as { content: string }).content);
    expect(contents).to.deep.equal(["a", "b", "c"]);
    const removed = events.filter(({ type }) => type === "scheduled_messages");
    expect(removed.map(({ payload }) => payload["scheduled_message_id"])).to.deep.equal(ids);
  });
});
