import {
  anonymousGroup,
  ascendingIds,
  changeChannel,
  changeOrganization,
  channel,
  type ChannelOverrides,
  countQueries,
  crowd,
  pastMessages,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  topicPolicy,
  unsubscribe,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  age,
  change,
  changeRefused,
  flagsOf,
  read,
  received,
} from "../../test-support/changing-messages.ts";
import { post } from "../../test-support/reading-messages.ts";

const week = 604_800;
const bits = { read: 1, starred: 2, historical: 128 } as const;

describe("PATCH /messages/{message_id}: channel", () => {
  const scene = useScene();
  let owner: TestAccount;
  let mover: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    ({ owner, member: mover } = scene.org);
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [owner, mover, reader] });
  });

  const say = (where = room, topic = "lunch", by = owner) => post(scene.gateway, by, where, topic);
  const made = (overrides: ChannelOverrides = {}) =>
    channel(scene.db, scene.org.realm, { subscribers: [owner, mover], ...overrides });
  const move = (id: number, to: TestChannel, more = {}, by = mover) =>
    change(scene, by, id, { stream_id: to.id, send_notification_to_new_thread: false, ...more });
  const only = (...members: TestAccount[]) =>
    anonymousGroup(
      scene.db,
      scene.org.realm.id,
      members.map(({ id }) => id),
    );
  const firstOf = async ({ id }: TestChannel) => {
    const row = await scene.db.prisma.channel.findUniqueOrThrow({ where: { id } });
    return row.firstMessageId === null ? null : Number(row.firstMessageId);
  };
  const eventsOf = (events: Awaited<ReturnType<typeof move>>, type: string) =>
    received(events, type).map(({ op, payload, audience }) => ({ op, payload, audience }));

  it("changes with or without the topic, in events and history", async () => {
    const target = await made();
    const ids = [await say(), await say(), await say(room, "rain")];
    const [one = 0, two = 0] = ids;
    const events = await move(two, target, { topic: "dinner", propagate_mode: "change_all" });
    const [event] = eventsOf(events, "update_message");
    expect(event).to.deep.equal({
      op: null,
      payload: {
        user_id: mover.id,
        message_id: two,
        message_ids: [one, two],
        flags: [],
        edit_timestamp: event?.payload["edit_timestamp"],
        rendering_only: false,
        stream_id: room.id,
        stream_name: room.name,
        orig_subject: "lunch",
        propagate_mode: "change_all",
        subject: "dinner",
        topic_links: [],
        new_stream_id: target.id,
      },
      // Public: subscribers of both channels.
      audience: ascendingIds(owner, mover, reader),
    });
    const moved = await read(scene, owner, target);
    expect(moved.map(({ id, subject, stream_id }) => [id, subject, stream_id])).to.deep.equal([
      [one, "dinner", target.id],
      [two, "dinner", target.id],
    ]);
    const { edit_history: history, last_moved_timestamp: timestamp } = moved.at(0)!;
    expect(history).to.deep.equal([
      {
        user_id: mover.id,
        timestamp,
        prev_topic: "lunch",
        topic: "dinner",
        prev_stream: room.id,
        stream: target.id,
      },
    ]);
    const [back] = eventsOf(await move(two, room), "update_message");
    expect(back?.payload).to.deep.include({ orig_subject: "dinner", new_stream_id: room.id });
    for (const field of ["subject", "topic_links"])
      expect(back?.payload).not.to.have.property(field);
  });

  it("requires the permission to move out and the permission to send to the destination", async () => {
    const { db, org } = scene;
    const target = await made();
    const id = await say();
    await subscribe(db, room, org.guest);
    await subscribe(db, target, org.guest);
    await changeRefused(scene, org.guest, id, { stream_id: target.id });
    await changeOrganization(db, org.realm, {
      canMoveMessagesBetweenChannelsGroupId: await only(org.moderator),
    });
    for (const one of [owner, mover]) await changeRefused(scene, one, id, { stream_id: target.id });
    await move(id, target, {}, org.moderator);
    await changeChannel(db, target, {
      canMoveMessagesOutOfChannelGroupId: await only(mover, org.guest),
    });
    await move(id, room);
    await changeRefused(scene, mover, id, { stream_id: target.id });
    await changeChannel(db, room, { canMoveMessagesOutOfChannelGroupId: await only(org.guest) });
    await move(id, target, {}, org.guest);
    await changeOrganization(db, org.realm, {
      canMoveMessagesBetweenChannelsGroupId: org.groups["role:members"],
    });
    await changeChannel(db, room, { canSendMessageGroupId: await only(owner) });
    await changeRefused(scene, mover, id, { stream_id: room.id });
    await move(id, room, {}, owner);
    const hidden = await made({ inviteOnly: true, subscribers: [owner] });
    const archived = await made({ isArchived: true });
    for (const stream_id of [hidden.id, archived.id, 0, -1, 2 ** 40])
      await changeRefused(scene, mover, id, { stream_id });
    await changeChannel(db, room, { isArchived: true });
    await changeRefused(scene, owner, id, { stream_id: target.id });
  });

  it("is allowed for seven days and twenty seconds, and longer for moderators", async () => {
    const target = await made();
    const id = await say();
    await age(scene, id, week + 10);
    await move(id, target);
    await age(scene, id, week + 30);
    await changeRefused(scene, mover, id, { stream_id: room.id });
    await move(id, room, {}, scene.org.moderator);
  });

  it("is refused for change_all if older messages exceed the time limit", async () => {
    const target = await made();
    const [old, id] = [await say(), await say()];
    await age(scene, old, week + 30);
    await changeRefused(
      scene,
      mover,
      id,
      { stream_id: target.id, propagate_mode: "change_all" },
      "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      {
        first_message_id_allowed_to_move: id,
        total_messages_in_topic: 2,
        total_messages_allowed_to_move: 1,
      },
    );
    await move(id, target, { propagate_mode: "change_later" });
  });

  it("follows the destination's topics policy", async () => {
    const { db } = scene;
    const target = await made({ topicsPolicy: "empty_topic_only" });
    const id = await say();
    await changeRefused(scene, mover, id, { stream_id: target.id });
    await move(id, target, { topic: "" });
    const closed = await made({ groups: { canCreateTopicGroupId: await only(owner) } });
    const other = await say();
    await changeRefused(scene, mover, other, { stream_id: closed.id });
    await say(closed);
    await move(other, closed);
    await changeChannel(db, closed, { canCreateTopicGroupId: scene.org.groups["role:everyone"] });
  });

  it("deletes copies of non-subscribers; for remaining readers it is read, without a star", async () => {
    const target = await made();
    const [unread, read1, starred] = [await say(), await say(), await say()];
    await scene.db.rows(
      "UPDATE user_messages SET flags = CASE WHEN message_id = $2 THEN 1 WHEN message_id = $3 THEN 3 ELSE 0 END WHERE user_id = $1",
      [reader.id, read1, starred],
    );
    const kept = await flagsOf(scene, owner, unread);
    const events = await move(starred, target, { propagate_mode: "change_all" });
    for (const id of [unread, read1, starred]) {
      expect(await flagsOf(scene, reader, id)).to.equal(undefined);
      expect(await flagsOf(scene, owner, id)).to.equal(kept);
    }
    expect(eventsOf(events, "update_message")[0]?.audience).to.deep.equal(
      ascendingIds(owner, mover, reader),
    );
    expect(eventsOf(events, "delete_message")).to.deep.equal([]);
    expect(eventsOf(events, "update_message_flags")).to.deep.equal([
      {
        op: "add",
        payload: { operation: "add", flag: "read", messages: [unread], all: false },
        audience: [reader.id],
      },
      {
        op: "remove",
        payload: { operation: "remove", flag: "starred", messages: [starred], all: false },
        audience: [reader.id],
      },
    ]);
  });

  it("sends a deletion to all accounts that could read the messages and cannot read the destination", async () => {
    const { org } = scene;
    const target = await made({ inviteOnly: true, historyPublicToSubscribers: true });
    const [one, two] = [await say(), await say()];
    await subscribe(scene.db, room, org.guest);
    const events = await move(two, target, { propagate_mode: "change_all" });
    expect(eventsOf(events, "update_message")[0]?.audience).to.deep.equal(
      ascendingIds(owner, mover),
    );
    const people = [org.admin, org.moderator, org.bot, reader, org.guest];
    const [gone, ...more] = eventsOf(events, "delete_message");
    expect(more).to.deep.equal([]);
    expect(gone?.payload).to.deep.equal({
      message_ids: [one, two],
      message_type: "stream",
      stream_id: room.id,
      topic: "lunch",
    });
    expect(gone?.audience).to.include.members(people.map(({ id }) => id));
    expect(gone?.audience).not.to.include.members([owner.id]);
    expect(gone?.audience).not.to.include.members([mover.id]);
    expect(eventsOf(events, "update_message_flags")).to.deep.equal([]);
    expect(await flagsOf(scene, reader, one)).to.equal(undefined);
    expect(await read(scene, reader, room)).to.deep.equal([]);
  });

  it("creates a read copy for every subscriber of protected history", async () => {
    const { db, org } = scene;
    const newcomer = await user(db, org.realm);
    const target = await made({ inviteOnly: true, subscribers: [owner, mover, newcomer] });
    const id = await say();
    const events = await move(id, target);
    expect(await flagsOf(scene, newcomer, id)).to.equal(bits.read);
    expect(await flagsOf(scene, reader, id)).to.equal(undefined);
    // Every account could see the message in the public channel.
    expect(eventsOf(events, "update_message")[0]?.audience).to.deep.equal(
      ascendingIds(owner, mover, newcomer),
    );
    expect((await read(scene, newcomer, target)).map((message) => message.id)).to.deep.equal([id]);
  });

  it("sends nothing about a private channel to accounts that could not see the message there", async () => {
    const { db, org } = scene;
    const outsider = await user(db, org.realm);
    const left = await user(db, org.realm);
    for (const historyPublicToSubscribers of [true, false]) {
      const closed = await made({
        inviteOnly: true,
        historyPublicToSubscribers,
        subscribers: [owner, mover, left],
      });
      const id = await say(closed);
      await unsubscribe(db, closed, left);
      const target = await made({ subscribers: [owner, mover, outsider, left] });
      const events = await move(id, target, { send_notification_to_new_thread: true });
      expect(eventsOf(events, "update_message").map(({ audience }) => audience)).to.deep.equal([
        ascendingIds(owner, mover),
      ]);
      const secret = JSON.stringify(
        events.filter(({ audience }) => audience === null || audience.includes(outsider.id)),
      );
      expect(secret).not.to.include(closed.name);
      expect(secret).not.to.include(`"stream_id":${closed.id}`);
      // A message that was unread when the account left the old channel becomes read in the destination.
      expect(await flagsOf(scene, left, id)).to.equal(bits.read);
      expect(eventsOf(events, "update_message_flags")).to.deep.equal([
        {
          op: "add",
          payload: { operation: "add", flag: "read", messages: [id], all: false },
          audience: [left.id],
        },
      ]);
    }
  });

  it("deletes copies of accounts that were never subscribed, and keeps those of subscribers", async () => {
    const { db, org } = scene;
    const [outsider, insider] = [await user(db, org.realm), await user(db, org.realm)];
    const target = await made({ subscribers: [owner, mover, insider] });
    const id = await say();
    for (const one of [outsider, insider])
      await db.rows("INSERT INTO user_messages VALUES ($1, $2, $3)", [
        one.id,
        id,
        bits.read | bits.starred | bits.historical,
      ]);
    const events = await move(id, target);
    expect(await flagsOf(scene, outsider, id)).to.equal(undefined);
    expect(await flagsOf(scene, insider, id)).to.equal(bits.read | bits.starred | bits.historical);
    expect(
      eventsOf(events, "update_message_flags").map(({ op, payload, audience }) => [
        op,
        payload["flag"],
        audience,
      ]),
    ).to.have.deep.members([
      ["add", "read", [reader.id]],
      ["remove", "starred", [outsider.id]],
    ]);
  });

  it("updates the first messages of both channels", async () => {
    const target = await made();
    const [one, two] = [await say(room, "sun"), await say()];
    expect(await firstOf(target)).to.equal(null);
    const events = await move(one, target);
    expect([await firstOf(room), await firstOf(target)]).to.deep.equal([two, one]);
    const firsts = eventsOf(events, "stream").map(({ payload }) => [
      payload["stream_id"],
      payload["value"],
    ]);
    expect(firsts).to.have.deep.members([
      [room.id, two],
      [target.id, one],
    ]);
    await move(two, target);
    expect([await firstOf(room), await firstOf(target)]).to.deep.equal([null, one]);
    await move(one, room);
    expect([await firstOf(room), await firstOf(target)]).to.deep.equal([one, two]);
  });

  it("moves topic policies of users, except for accounts that cannot read the destination", async () => {
    const { db } = scene;
    const target = await made({ inviteOnly: true });
    const id = await say();
    await setTopicPolicy(db, owner, room, "lunch", "muted");
    await setTopicPolicy(db, reader, room, "lunch", "followed");
    const events = await move(id, target, { topic: "dinner" });
    const rows = await db.rows(
      `SELECT user_id AS id, channel_id AS channel, topic, visibility_policy AS policy FROM user_topics
       WHERE channel_id = ANY($1::int[])`,
      [[room.id, target.id]],
    );
    expect(rows).to.deep.equal([
      { id: owner.id, channel: target.id, topic: "dinner", policy: topicPolicy.muted },
    ]);
    expect(
      eventsOf(events, "user_topic").map(({ payload, audience }) => [
        payload["stream_id"],
        payload["visibility_policy"],
        audience,
      ]),
    ).to.have.deep.members([
      [room.id, 0, ascendingIds(owner, reader)],
      [target.id, topicPolicy.muted, [owner.id]],
    ]);
  });

  it("runs the same number of statements for hundreds of messages and dozens of accounts", async () => {
    const { db, org } = scene;
    const cost = async (messages: number, people: number) => {
      const others = await crowd(db, mover, people);
      const both = { subscribers: [mover, ...others.slice(people / 2)] };
      const [from, to] = [
        await channel(db, org.realm, { subscribers: [mover, ...others] }),
        await channel(db, org.realm, { inviteOnly: true, ...both }),
      ];
      const ids = await pastMessages(db, from, owner, { count: messages });
      await db.rows(
        `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
         SELECT unnest($1::int[]), $2, 'lunch', 3`,
        [others.map(({ id }) => id), from.id],
      );
      const params = { stream_id: to.id, topic: "dinner", propagate_mode: "change_all" };
      return countQueries(db, () => change(scene, mover, ids.at(-1) ?? 0, params));
    };
    const [few, many] = [await cost(3, 2), await cost(400, 40)];
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
  });
});
