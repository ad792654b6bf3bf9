import { getMessages, updateMessageFlagsInNarrow } from "@carillon/contract";
import { lockAudiences } from "@carillon/model";
import {
  bot,
  changeChannel,
  changesOf,
  channel,
  countQueries,
  eventsOf,
  muteUser,
  pastMessages,
  refused,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useGateway,
  useBlocker,
  user,
  useScene,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsFor, leaveUnread, post, term, write } from "../../test-support/reading-messages.ts";

const bits = { read: 1, starred: 2, collapsed: 4, historical: 128 } as const;

describe("POST /messages/flags/narrow", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const blocker = useBlocker(scene.db);
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [reader, scene.org.owner] });
  });

  const say = (topic?: string, where = room) =>
    post(scene.gateway, scene.org.owner, where, topic, "Soup?");
  const inRoom = () => [term("channel", room.id)];
  const everything = { anchor: "oldest", num_before: 0, num_after: 5_000, op: "add", flag: "read" };

  const ask = (params: object, by = reader, gateway = scene.gateway) =>
    gateway.as(by).call(updateMessageFlagsInNarrow, {
      params: { ...everything, narrow: inRoom(), ...params },
    });

  /** Changes flags. @returns the response and the changes of messages in events */
  async function change(params: object, by = reader) {
    const { answer, received: events } = await withEvents(scene.db, by, () => ask(params, by));
    const received = events.map(({ op, payload, audience }) => {
      expect(audience).to.deep.equal([by.id]);
      return [op, payload["flag"], payload["messages"]];
    });
    return { answer, received };
  }

  async function flagsOf(ids: readonly number[], by = reader) {
    const rows = await scene.db.rows<{ flags: number | null }>(
      `SELECT flags FROM unnest($2::bigint[]) WITH ORDINALITY AS m (id, n)
       LEFT JOIN user_messages ON user_id = $1 AND message_id = id ORDER BY n`,
      [by.id, ids],
    );
    return rows.map(({ flags }) => flags);
  }

  it("changes the window of GET /messages and returns the counts", async () => {
    const ids = [];
    for (let n = 0; n < 6; n++) ids.push(await say());
    await say("rain", await channel(scene.db, scene.org.realm, { subscribers: [reader] }));
    const [, one = 0, two = 0, three = 0] = ids;
    const around = { anchor: `${two}`, num_before: 1, num_after: 1, flag: "starred" };
    expect(await change(around)).to.deep.equal({
      answer: {
        processed_count: 3,
        updated_count: 3,
        first_processed_id: one,
        last_processed_id: three,
        found_oldest: false,
        found_newest: false,
        ignored_because_not_subscribed_channels: [],
      },
      received: [["add", "starred", [one, two, three]]],
    });
    // processed_count includes all found messages, updated_count changed ones; events list only these.
    const { answer, received } = await change({ flag: "starred" });
    expect(answer).to.include({ processed_count: 6, updated_count: 3, found_newest: true });
    expect(received).to.deep.equal([["add", "starred", [ids[0], ids[4], ids[5]]]]);
    expect((await change({ flag: "starred" })).received).to.deep.equal([]);
    expect(await flagsOf(ids)).to.deep.equal(ids.map(() => bits.starred));
    const apart = { ...around, num_before: 0, include_anchor: false, op: "remove" };
    expect((await change(apart)).received).to.deep.equal([["remove", "starred", [three]]]);
  });

  it("finds the same window as GET /messages for every anchor", async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await say(n < 3 ? "lunch" : "rain"));
    await leaveUnread(scene.db, reader, ids[2] ?? 0, ids[4] ?? 0);
    for (const anchor of [
      "newest",
      "oldest",
      "first_unread",
      `${ids[1]}`,
      "-5",
      "1e20",
      `${10 ** 17}`,
    ])
      for (const narrow of [
        inRoom(),
        [...inRoom(), term("topic", "RAIN")],
        [term("is", "unread")],
      ]) {
        const window = { anchor, num_before: 1, num_after: 2, narrow };
        const read = await scene.as(reader).call(getMessages, { params: window });
        const asked = await ask({ ...window, op: "remove", flag: "collapsed" });
        expect(asked.status, anchor).to.equal(read.status);
        if (read.status !== 200) continue;
        const found = read.body.messages.map(({ id }) => id);
        expect(asked.body).to.include({
          processed_count: found.length,
          updated_count: 0,
          first_processed_id: found[0] ?? null,
          last_processed_id: found.at(-1) ?? null,
          found_oldest: read.body.found_oldest,
          found_newest: read.body.found_newest,
        });
      }
  });

  it("changes nothing without matches and in unreadable channels", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    await say("lunch", closed);
    const empty = {
      processed_count: 0,
      updated_count: 0,
      first_processed_id: null,
      last_processed_id: null,
      found_oldest: true,
      found_newest: true,
      ignored_because_not_subscribed_channels: [],
    };
    const { tables } = await changesOf(db, async () => {
      for (const op of ["add", "remove"])
        for (const flag of ["read", "starred", "collapsed"])
          for (const narrow of [[term("channel", closed.id)], [term("topic", "nothing")], null])
            expect((await change({ op, flag, narrow })).answer).to.deep.equal(empty);
    });
    expect(tables).to.deep.equal([]);
  });

  it("handles 5000 messages at most and reduces larger windows", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 5_010, holders: [reader] });
    const middle = `${ids[2_505]}`;
    const cases = [
      [5_000, 0, 0, 2_506],
      [9_999, 1, 0, 2_507],
      [9_999, 9_999, 5, 5_001],
      [10, 9_999, 2_495, 2_515],
      [9_999, 2_400, 0, 4_906],
    ] as const;
    for (const [before, after, first, count] of cases) {
      const window = { anchor: middle, num_before: before, num_after: after };
      const { answer } = await change({ ...window, op: "remove", flag: "collapsed" });
      expect(answer, `${before} and ${after}`).to.include({
        processed_count: count,
        first_processed_id: ids[first],
        found_oldest: first === 0,
      });
    }
    const { answer, received } = await change({ num_after: 10 ** 15 });
    expect(answer).to.include({
      processed_count: 5_000,
      updated_count: 5_000,
      found_newest: false,
    });
    expect(received).to.deep.equal([["add", "read", ids.slice(0, 5_000)]]);
    expect((await change({ anchor: "first_unread" })).received).to.deep.equal([
      ["add", "read", ids.slice(5_000)],
    ]);
  });

  it("keeps messages read in channels without a subscription, and names these channels", async () => {
    const { db, org } = scene;
    const ids = [await say(), await say()];
    await change({});
    await unsubscribe(db, room, reader);
    const unreading = await change({ op: "remove" });
    expect(unreading.received).to.deep.equal([]);
    expect(unreading.answer).to.include({ processed_count: 2, updated_count: 0 });
    expect(unreading.answer.ignored_because_not_subscribed_channels).to.deep.equal([room.id]);
    expect(await flagsOf(ids)).to.deep.equal([bits.read, bits.read]);
    const other = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const id = await say("lunch", other);
    await change({ narrow: [] });
    const both = await change({ op: "remove", narrow: [] });
    expect(both.answer.ignored_because_not_subscribed_channels).to.deep.equal([room.id]);
    expect(both.received).to.deep.equal([["remove", "read", [id]]]);
  });

  it("creates copies for messages of the shared history, but not to add read", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 2, holders: [org.owner] });
    expect((await change({})).answer).to.include({ processed_count: 2, updated_count: 0 });
    expect(await flagsOf(ids)).to.deep.equal([null, null]);
    expect((await change({ flag: "starred" })).received).to.deep.equal([["add", "starred", ids]]);
    const made = bits.read | bits.starred | bits.historical;
    expect(await flagsOf(ids)).to.deep.equal([made, made]);
  });

  it("changes direct messages, muted ones and those of muted accounts", async () => {
    const { db, gateway, org } = scene;
    await setTopicPolicy(db, reader, room, "rain", "muted");
    const ids = [await say("rain"), await say()];
    ids.push(await write(gateway, org.owner, [reader]));
    await muteUser(db, reader, org.owner);
    expect((await change({ narrow: [] })).received).to.deep.equal([["add", "read", ids]]);
    const unread = await change({ op: "remove", narrow: [term("is", "muted")] });
    expect(unread.received).to.deep.equal([["remove", "read", ids.slice(0, 1)]]);
  });

  it("allows guests, bots and archived channels", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.owner);
    const hidden = await channel(db, org.realm, { subscribers: [org.owner] });
    await say("lunch", hidden);
    for (const by of [org.guest, robot]) await subscribe(db, room, by);
    const ids = [await say(), await say()];
    await changeChannel(db, room, { isArchived: true });
    for (const by of [org.guest, robot]) {
      for (const flag of ["read", "starred"]) {
        expect((await change({ flag }, by)).received).to.deep.equal([["add", flag, ids]]);
        expect((await change({ flag, op: "remove" }, by)).received).to.have.length(1);
      }
    }
    const narrow = [term("channel", hidden.id)];
    expect((await change({ narrow, flag: "starred" }, org.guest)).answer.processed_count).to.equal(
      0,
    );
  });

  it("refuses missing or malformed parameters", async () => {
    const { db } = scene;
    const narrow = inRoom();
    const params = { ...everything, narrow };
    for (const name of Object.keys(params)) {
      const without = { params: { ...params, [name]: undefined } };
      await refused(
        db,
        () => scene.as(reader).call(updateMessageFlagsInNarrow, without),
        "REQUEST_VARIABLE_MISSING",
        { var_name: name },
      );
    }
    const wrong = [
      { anchor: "first" },
      { anchor: "1.5" },
      { anchor: "" },
      { anchor: "date" },
      { anchor: "date", anchor_date: "yesterday" },
      { anchor: "date", anchor_date: "2".repeat(10_000) },
      { num_before: -1 },
      { num_after: -1 },
      { num_after: "x" },
      { num_before: 1.5 },
      { include_anchor: "yes" },
      { narrow: {} },
      { narrow: [1] },
      { narrow: [{ operator: "topic" }] },
      { narrow: [term("topic", 1)] },
      { narrow: Array.from({ length: 101 }, () => term("topic", "x")) },
      { op: "set" },
      { flag: "mentioned" },
      { flag: "historical" },
      { flag: "wildcard_mentioned" },
      { flag: "" },
      { num_before: 1, num_after: 1, include_anchor: false },
    ];
    for (const one of wrong) await refused(db, () => ask(one), "BAD_REQUEST", {});
    for (const bad of [
      [term("channel", "no such")],
      [term("sender", 2 ** 31 - 1)],
      [term("is", "lost")],
      [term("nothing", "x")],
      [term("is", "dm"), term("channel", room.id)],
      [term("with", 2 ** 31 - 1)],
    ])
      await refused(db, () => ask({ narrow: bad }), "BAD_NARROW");
    await refused(
      db,
      () => scene.gateway.anonymous.post("/api/v1/messages/flags/narrow", params),
      "UNAUTHORIZED",
    );
  });

  for (const flag of ["read", "starred"])
    it(`sends one event for each message when two gateways change ${flag} at once`, async () => {
      const { db, org } = scene;
      const holders = flag === "read" ? [reader] : [];
      const ids = await pastMessages(db, room, org.owner, { count: 40, holders });
      for (const op of ["add", "remove"]) {
        const { result, events } = await eventsOf(db, org.realm.id, () =>
          Promise.all(
            [scene.gateway, second, scene.gateway, second].map(async (gateway) => {
              const { body } = await ask({ op, flag }, reader, gateway);
              return body.updated_count;
            }),
          ),
        );
        expect(result.reduce((sum, count) => sum + count, 0)).to.equal(ids.length);
        const received = events.flatMap(({ payload }) => payload["messages"] as number[]);
        expect(received).to.have.members(ids);
      }
    });

  it("skips messages that are deleted meanwhile and changes the others", async () => {
    const [gone, kept] = [await say(), await say()];
    await blocker.lock("SELECT FROM messages WHERE id = $1 FOR UPDATE", [gone]);
    const asked = change({ flag: "starred" });
    await blocker.untilWaiting(1, "it waits for the message");
    await blocker.lock("DELETE FROM user_messages WHERE message_id = $1", [gone]);
    await blocker.lock("DELETE FROM messages WHERE id = $1", [gone]);
    await blocker.lock("COMMIT");
    const { answer, received } = await asked;
    expect(answer).to.include({ processed_count: 2, updated_count: 1 });
    expect(received).to.deep.equal([["add", "starred", [kept]]]);
    expect(await flagsOf([gone, kept])).to.deep.equal([null, bits.starred]);
  });

  it("waits for an unsubscription of the caller, and then keeps the messages read", async () => {
    const id = await say();
    await change({});
    let asked: ReturnType<typeof change> | undefined;
    await scene.db.transaction(async (tx) => {
      await lockAudiences(tx, [room.id]);
      asked = change({ op: "remove" });
      await blocker.untilWaiting(1, "it waits for the channel's audience");
      await tx.rows(
        "UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2",
        [room.id, reader.id],
      );
    });
    const done = await asked;
    expect(done?.answer.ignored_because_not_subscribed_channels).to.deep.equal([room.id]);
    expect(await flagsOf([id])).to.deep.equal([bits.read]);
  });

  it("adds nothing to messages of a channel that the caller loses meanwhile", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    const [hidden, kept] = [await say("lunch", closed), await say()];
    let asked: ReturnType<typeof change> | undefined;
    await db.transaction(async (tx) => {
      await lockAudiences(tx, [closed.id]);
      asked = change({ narrow: [], flag: "starred" });
      await blocker.untilWaiting(1, "it waits for the channel's audience");
      await tx.rows(
        "UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2",
        [closed.id, reader.id],
      );
    });
    expect((await asked)?.received).to.deep.equal([["add", "starred", [kept]]]);
    expect(await flagsOf([hidden])).to.deep.equal([0]);
  });

  it("runs the same number of statements for any number of messages", async () => {
    const { db, org } = scene;
    await pastMessages(db, room, org.owner, { count: 300, holders: [reader] });
    expect(await idsFor(scene.gateway, reader, inRoom())).to.have.length(300);
    for (const [op, flag] of [
      ["add", "read"],
      ["remove", "read"],
      ["add", "starred"],
      ["remove", "starred"],
    ] as const) {
      const one = await countQueries(db, () => change({ op, flag, num_after: 1 }));
      const many = await countQueries(db, () => change({ op, flag }));
      expect(many.count, `${op} ${flag}`).to.equal(one.count);
    }
  });
});
