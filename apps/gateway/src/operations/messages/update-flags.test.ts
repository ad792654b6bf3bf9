import { updateMessageFlags } from "@carillon/contract";
import { lockAudiences } from "@carillon/model";
import {
  announced,
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
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useGateway,
  useBlocker,
  useScene,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags, write } from "../../test-support/reading-messages.ts";

const bits = { read: 1, starred: 2, collapsed: 4, mentioned: 8, historical: 128 } as const;

describe("POST /messages/flags", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const blocker = useBlocker(scene.db);
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [reader, scene.org.owner] });
  });

  const ask = (op: string, flag: string, messages: unknown, by = reader, gateway = scene.gateway) =>
    gateway.as(by).call(updateMessageFlags, { params: { op, flag, messages } });

  /** Changes flags. @returns the ignored channels and the events */
  async function change(op: string, flag: string, messages: readonly number[], by = reader) {
    const { result, events } = await eventsOf(scene.db, by.realmId, () =>
      ask(op, flag, messages, by),
    );
    const { body } = result;
    expect(body).to.deep.equal({
      result: "success",
      msg: "",
      messages,
      ignored_because_not_subscribed_channels: body.ignored_because_not_subscribed_channels,
    });
    return { ignored: body.ignored_because_not_subscribed_channels, received: announced(events) };
  }

  const say = (topic?: string, content?: string, where = room) =>
    post(scene.gateway, scene.org.owner, where, topic, content);

  async function flagsOf(id: number, by = reader): Promise<number | undefined> {
    const [row] = await scene.db.rows<{ flags: number }>(
      "SELECT flags FROM user_messages WHERE user_id = $1 AND message_id = $2",
      [by.id, id],
    );
    return row?.flags;
  }

  const added = (flag: string, messages: number[], by = reader) => ({
    type: "update_message_flags",
    op: "add",
    payload: { operation: "add", flag, messages, all: false },
    audience: [by.id],
  });

  const removed = (flag: string, messages: number[], details?: object, by = reader) => ({
    type: "update_message_flags",
    op: "remove",
    payload: {
      operation: "remove",
      flag,
      messages,
      all: false,
      ...(details ? { message_details: details } : {}),
    },
    audience: [by.id],
  });

  for (const flag of ["read", "starred", "collapsed"] as const)
    it(`adds and removes ${flag} of the caller's copies only, with events for changed ones`, async () => {
      const [one, two] = [await say(), await say()];
      const kept = await flagsOf(one, scene.org.owner);
      expect(await change("add", flag, [two])).to.deep.equal({
        ignored: [],
        received: [added(flag, [two])],
      });
      // IDs in any order and repeated; events list changed ones in ascending order.
      expect((await change("add", flag, [two, one, one])).received).to.deep.equal([
        added(flag, [one]),
      ]);
      expect((await change("add", flag, [one, two])).received).to.deep.equal([]);
      for (const id of [one, two]) expect(await flagsOf(id)).to.equal(bits[flag]);
      const details =
        flag === "read"
          ? { [one]: { type: "stream", stream_id: room.id, topic: "lunch" } }
          : undefined;
      expect((await change("remove", flag, [one])).received).to.deep.equal([
        removed(flag, [one], details),
      ]);
      expect((await change("remove", flag, [one])).received).to.deep.equal([]);
      expect(await flagsOf(one)).to.equal(0);
      expect(await flagsOf(two)).to.equal(bits[flag]);
      expect(await flagsOf(one, scene.org.owner)).to.equal(kept);
    });

  it("changes nothing for an empty list or unchanged flags", async () => {
    const id = await say();
    await setFlags(scene.db, reader, bits.starred, id);
    const { tables } = await changesOf(scene.db, async () => {
      for (const op of ["add", "remove"])
        for (const flag of ["read", "starred", "collapsed"]) await change(op, flag, []);
      await change("add", "starred", [id]);
      await change("remove", "collapsed", [id]);
      await change("remove", "read", [id]);
    });
    expect(tables).to.deep.equal([]);
    expect(await flagsOf(id)).to.equal(bits.starred);
  });

  it("lists where messages became unread and whether they mention the caller", async () => {
    const { gateway, org } = scene;
    const { owner, member } = org;
    const ids = [
      await say("", "plain"),
      await say("lunch", `@**${reader.fullName}|${reader.id}** look`),
      await say("lunch", "@**all** look"),
      await write(gateway, owner, [reader, member]),
      await write(gateway, reader, [reader]),
    ];
    await change("add", "read", ids);
    const [plain = 0, mention = 0, wildcard = 0, group = 0, self = 0] = ids;
    const lunch = { type: "stream", stream_id: room.id, topic: "lunch", mentioned: true };
    const others = [owner.id, member.id].sort((a, b) => a - b);
    expect((await change("remove", "read", ids)).received).to.deep.equal([
      removed("read", ids, {
        [plain]: { type: "stream", stream_id: room.id, topic: "" },
        [mention]: lunch,
        [wildcard]: lunch,
        [group]: { type: "private", user_ids: others },
        [self]: { type: "private", user_ids: [] },
      }),
    ]);
  });

  it("keeps messages read in channels without a subscription, and names these channels", async () => {
    const { db, org } = scene;
    const open = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    const ids = [
      await say(),
      await say("lunch", "x", open),
      await say("lunch", "x", open),
      await say("lunch", "x", closed),
    ];
    await change("add", "read", ids);
    await unsubscribe(db, open, reader);
    await unsubscribe(db, closed, reader);
    const { ignored, received } = await change("remove", "read", ids);
    expect(ignored).to.deep.equal([open.id, closed.id]);
    expect(received.map(({ payload }) => payload["messages"])).to.deep.equal([ids.slice(0, 1)]);
    expect(await Promise.all(ids.map((id) => flagsOf(id)))).to.deep.equal([0, 1, 1, 1]);
    // Neither another account's subscription nor one to another channel counts.
    await subscribe(db, open, reader);
    expect((await change("remove", "read", ids)).ignored).to.deep.equal([closed.id]);
  });

  it("creates a historical copy for visible messages without one", async () => {
    const { db, org } = scene;
    const [one = 0, two = 0, three = 0] = await pastMessages(db, room, org.owner, { count: 3 });
    await db.rows("DELETE FROM user_messages WHERE user_id = $1", [reader.id]);
    const { read, starred, collapsed, historical } = bits;
    expect((await change("add", "starred", [one])).received).to.deep.equal([
      added("starred", [one]),
    ]);
    expect(await flagsOf(one)).to.equal(read | starred | historical);
    await change("add", "collapsed", [one, two]);
    expect(await flagsOf(one)).to.equal(read | starred | collapsed | historical);
    expect(await flagsOf(two)).to.equal(read | collapsed | historical);
    // There is no copy to mark as read or to remove a flag from.
    for (const [op, flag] of [
      ["add", "read"],
      ["remove", "starred"],
      ["remove", "collapsed"],
    ] as const)
      expect((await change(op, flag, [three])).received).to.deep.equal([]);
    expect(await flagsOf(three)).to.equal(undefined);
    // Historical copies can be marked unread, too.
    expect(
      (await change("remove", "read", [three])).received[0]?.payload["messages"],
    ).to.deep.equal([three]);
    expect(await flagsOf(three)).to.equal(historical);
  });

  it("creates no copy of messages that the caller could only see when subscribed", async () => {
    const [id = 0] = await pastMessages(scene.db, room, scene.org.owner);
    const { member } = scene.org;
    expect((await change("remove", "read", [id], member)).ignored).to.deep.equal([room.id]);
    expect(await flagsOf(id, member)).to.equal(undefined);
  });

  it("adds read to received messages, whatever else is named", async () => {
    const id = await say();
    const hidden = await write(scene.gateway, scene.org.owner, [scene.org.admin]);
    const named = [hidden, id, 0, -5, 2 ** 53 - 1, 1e20];
    expect((await change("add", "read", named)).received).to.deep.equal([added("read", [id])]);
    expect(await flagsOf(hidden)).to.equal(undefined);
  });

  it("refuses the whole request if one message is hidden from the caller", async () => {
    const { db, gateway, org } = scene;
    const own = await say();
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const guarded = await channel(db, org.realm, {
      inviteOnly: true,
      row: { historyPublicToSubscribers: false },
      subscribers: [org.owner],
    });
    const other = await organization(db);
    const [before = 0] = await pastMessages(db, guarded, org.owner);
    await subscribe(db, guarded, reader);
    const hidden = [
      await say("lunch", "x", closed),
      await write(gateway, org.owner, [org.admin]),
      await write(gateway, other.owner, [other.member]),
      before,
      0,
      -1,
      2 ** 53 - 1,
      1e20,
    ];
    const changes = [
      ["add", "starred"],
      ["remove", "starred"],
      ["add", "collapsed"],
      ["remove", "read"],
    ] as const;
    const asked = hidden.flatMap((id) => changes.map(([op, flag]) => ({ op, flag, id })));
    await refusedAlike(db, asked, ({ op, flag, id }) => ask(op, flag, [own, id]));
  });

  it("removes flags from copies in unreadable channels, and adds none", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    const id = await say("lunch", "x", closed);
    await change("add", "starred", [id]);
    await unsubscribe(db, closed, reader);
    expect((await change("remove", "starred", [id])).received).to.deep.equal([
      removed("starred", [id]),
    ]);
    await refused(db, () => ask("add", "starred", [id]), "BAD_REQUEST", {});
    await refused(db, () => ask("add", "collapsed", [id]), "BAD_REQUEST", {});
  });

  it("accepts three flags, add and remove, and integer IDs", async () => {
    const id = await say();
    const uneditable = [
      "mentioned",
      "wildcard_mentioned",
      "has_alert_word",
      "historical",
      "direct",
    ];
    for (const flag of [...uneditable, "stream_wildcard_mentioned", "READ", ""])
      await refused(scene.db, () => ask("add", flag, [id]), "BAD_REQUEST", {});
    for (const op of ["set", "", "Add"])
      await refused(scene.db, () => ask(op, "read", [id]), "BAD_REQUEST", {});
    for (const messages of [[`${id}`], [1.5], [true], [null], id, {}, "x"])
      await refused(scene.db, () => ask("add", "read", messages), "BAD_REQUEST", {});
    for (const missing of ["messages", "op", "flag"]) {
      const params = { messages: [id], op: "add", flag: "read", [missing]: undefined };
      await refused(
        scene.db,
        () => scene.as(reader).call(updateMessageFlags, { params }),
        "REQUEST_VARIABLE_MISSING",
      );
    }
    const path = "/api/v1/messages/flags";
    const nobody = () => scene.gateway.anonymous.post(path, { messages: [id] });
    await refused(scene.db, nobody, "UNAUTHORIZED");
  });

  it("allows guests, bots and archived channels", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.owner);
    await subscribe(db, room, org.guest);
    await subscribe(db, room, robot);
    const id = await say();
    await changeChannel(db, room, { isArchived: true });
    for (const by of [org.guest, robot])
      for (const flag of ["read", "starred"]) {
        expect((await change("add", flag, [id], by)).received).to.deep.equal([
          added(flag, [id], by),
        ]);
        expect((await change("remove", flag, [id], by)).received).to.have.length(1);
      }
    // A guest sees channels only with a subscription.
    const other = await channel(db, org.realm, { subscribers: [org.owner] });
    const hidden = await say("lunch", "x", other);
    await refused(db, () => ask("add", "starred", [hidden], org.guest), "BAD_REQUEST", {});
  });

  for (const flag of ["read", "starred"])
    it(`sends one event for each message when two gateways change ${flag} at once`, async () => {
      const { db, org } = scene;
      const ids = await pastMessages(db, room, org.owner, { count: 40 });
      await db.rows("DELETE FROM user_messages WHERE user_id = $1 AND message_id = ANY($2)", [
        reader.id,
        flag === "starred" ? ids : [],
      ]);
      for (const op of ["add", "remove"]) {
        const { events } = await eventsOf(db, org.realm.id, () =>
          Promise.all(
            [scene.gateway, second, scene.gateway, second].map(async (gateway, n) => {
              const sent = n < 2 ? ids : ids.toReversed();
              const { body } = await ask(op, flag, sent, reader, gateway);
              expect(body).to.include({ result: "success" });
            }),
          ),
        );
        const received = events.flatMap(({ payload }) => payload["messages"] as number[]);
        expect(received).to.have.members(ids);
        expect(received).to.have.length(new Set(received).size);
      }
    });

  it("waits for an unsubscription of the caller, and then keeps the messages read", async () => {
    const id = await say();
    await change("add", "read", [id]);
    let asked: ReturnType<typeof ask> | undefined;
    await scene.db.transaction(async (tx) => {
      await lockAudiences(tx, [room.id]);
      asked = ask("remove", "read", [id]);
      await blocker.untilWaiting(1, "it waits for the channel's audience");
      await tx.rows(
        "UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2",
        [room.id, reader.id],
      );
    });
    if (!asked) throw new Error("nothing was asked");
    const { body } = await asked;
    expect(body, JSON.stringify(body)).to.include({ result: "success" });
    expect(body.ignored_because_not_subscribed_channels).to.deep.equal([room.id]);
    expect(await flagsOf(id)).to.equal(bits.read);
  });

  it("leaves no copy of a message that is deleted meanwhile", async () => {
    const id = await say();
    await blocker.lock("SELECT FROM messages WHERE id = $1 FOR UPDATE", [id]);
    const asked = ask("add", "starred", [id]);
    await blocker.untilWaiting(1, "it waits for the message");
    await blocker.lock("DELETE FROM user_messages WHERE message_id = $1", [id]);
    await blocker.lock("DELETE FROM messages WHERE id = $1", [id]);
    await blocker.lock("COMMIT");
    expect((await asked).body).to.include({ code: "BAD_REQUEST" });
    expect(await flagsOf(id)).to.equal(undefined);
  });

  it("writes with the same number of statements for any number of messages, and accepts 5000", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 300 });
    for (const [op, flag] of [
      ["add", "read"],
      ["remove", "read"],
      ["add", "starred"],
      ["remove", "starred"],
    ] as const) {
      const one = await countQueries(db, () => change(op, flag, ids.slice(0, 1)));
      const many = await countQueries(db, () => change(op, flag, ids));
      expect(many.count, `${op} ${flag}`).to.equal(one.count);
    }
    const most = Array.from({ length: 5_000 }, (_, n) => ids[n % ids.length] ?? 0);
    await change("add", "starred", most);
    const { msg } = await refused(db, () => ask("add", "read", [...most, 1]), "BAD_REQUEST", {});
    expect(msg).to.contain("5000 messages");
  });
});
