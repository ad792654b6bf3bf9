import { markChannelRead, markTopicRead } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changesOf,
  channel,
  countQueries,
  eventsOf,
  organization,
  pastMessages,
  refused,
  refusedAlike,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useGateway,
  user,
  useScene,
  type Refusable,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsFor, leaveUnread, post, term, write } from "../../test-support/reading-messages.ts";

describe("POST /mark_stream_as_read and POST /mark_topic_as_read", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [reader, scene.org.owner] });
  });

  const say = (topic?: string, where = room) => post(scene.gateway, scene.org.owner, where, topic);
  const unread = (by = reader) => idsFor(scene.gateway, by, [term("is", "unread")]);
  const ask = {
    channel: (stream_id: unknown, by = reader, gateway = scene.gateway) =>
      gateway.as(by).call(markChannelRead, { params: { stream_id } }),
    topic: (stream_id: unknown, topic_name: unknown, by = reader, gateway = scene.gateway) =>
      gateway.as(by).call(markTopicRead, { params: { stream_id, topic_name } }),
  };
  const done = { result: "success", msg: "", complete: true };

  /** @returns the messages that the events mark as read */
  async function received(asked: () => Promise<Refusable>, by = reader) {
    const { answer, received: events } = await withEvents(scene.db, by, asked);
    expect(answer).to.deep.equal({ complete: true });
    return events.flatMap(({ type, op, payload, audience }) => {
      expect([type, op, payload["flag"], payload["all"]]).to.deep.equal([
        "update_message_flags",
        "add",
        "read",
        false,
      ]);
      expect(audience).to.deep.equal([by.id]);
      return payload["messages"] as number[];
    });
  }

  it("mark unread messages of the channel or of the topic in any case, and nothing else", async () => {
    const { db, gateway, org } = scene;
    const other = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    await setTopicPolicy(db, reader, room, "Ärger", "muted");
    const topic = [await say("Ärger"), await say("äRGER")];
    const rest = [await say("Ärger im Büro"), await say("lunch")];
    const elsewhere = [await say("Ärger", other), await write(gateway, org.owner, [reader])];
    const owners = await unread(org.owner);
    expect(await received(() => ask.topic(room.id, " ärger "))).to.deep.equal(topic);
    expect(await unread()).to.deep.equal([...rest, ...elsewhere]);
    expect(await received(() => ask.channel(room.id))).to.deep.equal(rest);
    expect(await unread()).to.deep.equal(elsewhere);
    expect(await unread(org.owner)).to.deep.equal(owners);
    const { tables } = await changesOf(db, async () => {
      expect(await received(() => ask.topic(room.id, "Ärger"))).to.deep.equal([]);
      expect(await received(() => ask.channel(room.id))).to.deep.equal([]);
    });
    expect(tables).to.deep.equal([]);
  });

  it("accept the names of the empty topic", async () => {
    for (const name of ["", "general chat", "(no topic)"]) {
      const id = await say("");
      expect(await received(() => ask.topic(room.id, name))).to.deep.equal([id]);
    }
  });

  it("allow guests, bots, archived channels, and public channels that the caller has left", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.owner);
    for (const by of [org.guest, robot]) await subscribe(db, room, by);
    const ids = [await say(), await say("rain")];
    await changeChannel(db, room, { isArchived: true });
    await unsubscribe(db, room, reader);
    for (const by of [org.guest, robot, reader]) {
      expect(await received(() => ask.topic(room.id, "rain", by), by)).to.deep.equal(ids.slice(1));
      expect(await received(() => ask.channel(room.id, by), by)).to.deep.equal(ids.slice(0, 1));
    }
  });

  it("are refused for unreadable channels like unknown ones", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    await say("lunch", closed);
    await unsubscribe(db, closed, reader);
    const foreign = await channel(db, (await organization(db)).owner);
    await say();
    const channels = [closed.id, foreign.id, 0, -1, 2 ** 31 - 1, 2 ** 53];
    await refusedAlike(db, channels, (id) => ask.channel(id));
    await refusedAlike(db, channels, (id) => ask.topic(id, "lunch"));
    // Guests get the same error for a channel that others see.
    await refusedAlike(db, [room.id, closed.id], (id) => ask.channel(id, org.guest));
  });

  it("are refused for topics without a message of the caller, and impossible topics", async () => {
    const { db, org } = scene;
    await say("lunch");
    await pastMessages(db, room, org.owner, { topic: "before", holders: [org.owner] });
    await refusedAlike(db, ["nothing", "before"], (name) => ask.topic(room.id, name));
    for (const name of ["a".repeat(61), "a\u0000b", "a\nb"])
      await refused(db, () => ask.topic(room.id, name), "BAD_REQUEST", {});
    // All messages of the topic may already be read.
    await leaveUnread(db, reader);
    expect(await received(() => ask.topic(room.id, "lunch"))).to.deep.equal([]);
  });

  it("require authentication and integer channel IDs", async () => {
    const { db, gateway } = scene;
    await say();
    for (const id of ["x", 1.5, [room.id], {}, null, ""])
      for (const asked of [() => ask.channel(id), () => ask.topic(id, "lunch")])
        await refused(db, asked, "BAD_REQUEST", {});
    for (const [asked, var_name] of [
      [() => ask.channel(undefined), "stream_id"],
      [() => ask.topic(undefined, "lunch"), "stream_id"],
      [() => ask.topic(room.id, undefined), "topic_name"],
    ] as const)
      await refused(db, asked, "REQUEST_VARIABLE_MISSING", { var_name });
    const params = { stream_id: room.id, topic_name: "lunch" };
    for (const path of ["/api/v1/mark_stream_as_read", "/api/v1/mark_topic_as_read"])
      await refused(db, () => gateway.anonymous.post(path, params), "UNAUTHORIZED");
  });

  it("mark each message in one event when both are called on two gateways", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 100 });
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(
        [
          ask.channel(room.id),
          ask.topic(room.id, "lunch", reader, second),
          ask.channel(room.id, reader, second),
        ].map(async (asked) => expect((await asked).body).to.deep.equal(done)),
      ),
    );
    const all = events.flatMap(({ payload }) => payload["messages"] as number[]);
    expect(all).to.have.members(ids);
  });

  it("run the same number of statements for any number of messages", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 300 });
    for (const asked of [() => ask.channel(room.id), () => ask.topic(room.id, "lunch")]) {
      await leaveUnread(db, reader, ids[0] ?? 0);
      const one = await countQueries(db, () => received(asked));
      await leaveUnread(db, reader, ...ids);
      const many = await countQueries(db, () => received(asked));
      expect(many.statements).to.deep.equal(one.statements);
    }
  });
});
