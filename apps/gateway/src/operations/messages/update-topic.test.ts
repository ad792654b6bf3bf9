import { bounds, getMessageHistory } from "@carillon/contract";
import {
  anonymousGroup,
  ascendingIds,
  changeChannel,
  changeOrganization,
  channel,
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
import { post, write } from "../../test-support/reading-messages.ts";

const week = 604_800;

describe("PATCH /messages/{message_id}: topic", () => {
  const scene = useScene();
  let owner: TestAccount;
  let mover: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    ({ owner, member: mover } = scene.org);
    room = await channel(scene.db, scene.org.realm, { subscribers: [owner, mover] });
  });

  const say = (topic = "lunch", by = owner, where = room) => post(scene.gateway, by, where, topic);
  const move = (id: number, topic: string, more = {}, by = mover) =>
    change(scene, by, id, { topic, send_notification_to_new_thread: false, ...more });
  const only = (...members: TestAccount[]) =>
    anonymousGroup(
      scene.db,
      scene.org.realm.id,
      members.map(({ id }) => id),
    );
  const topicsOf = async (by = owner) =>
    (await read(scene, by, room)).map(({ id, subject }) => [id, subject]);

  it("changes for one message, later ones or the whole topic in any case, with a history entry for each", async () => {
    const ids = [await say("lunch"), await say("Lunch"), await say("rain"), await say("LUNCH")];
    const [one = 0, two = 0, , four = 0] = ids;
    const [event, ...more] = await move(two, " dinner ");
    expect(more).to.deep.equal([]);
    expect(event?.payload).to.deep.equal({
      user_id: mover.id,
      message_id: two,
      message_ids: [two],
      flags: [],
      edit_timestamp: event?.payload["edit_timestamp"],
      rendering_only: false,
      stream_id: room.id,
      stream_name: room.name,
      orig_subject: "Lunch",
      propagate_mode: "change_one",
      subject: "dinner",
      topic_links: [],
    });
    expect(event?.audience).to.deep.equal(ascendingIds(owner, mover));
    expect(await topicsOf()).to.deep.equal([
      [one, "lunch"],
      [two, "dinner"],
      [ids[2], "rain"],
      [four, "LUNCH"],
    ]);

    await move(two, "lunch");
    const [later] = await move(two, "https://example.com/", { propagate_mode: "change_later" });
    expect(later?.payload).to.deep.include({
      message_ids: [two, four],
      propagate_mode: "change_later",
      topic_links: [{ text: "https://example.com/", url: "https://example.com/" }],
    });
    const [all] = await move(four, "lunch", { propagate_mode: "change_all" });
    expect(all?.payload).to.deep.include({ message_id: four, message_ids: [two, four] });
    expect((await topicsOf()).map(([, topic]) => topic)).to.deep.equal([
      "lunch",
      "lunch",
      "rain",
      "lunch",
    ]);
    const history = (await read(scene, owner, room)).map(({ edit_history }) =>
      edit_history?.map(({ user_id, timestamp, ...fields }) => {
        expect(user_id).to.equal(mover.id);
        expect(timestamp).to.be.a("number");
        return fields;
      }),
    );
    const step = (prev_topic: string, topic: string) => ({ prev_topic, topic });
    const away = step("lunch", "https://example.com/");
    expect(history).to.deep.equal([
      undefined,
      [
        step("https://example.com/", "lunch"),
        away,
        step("dinner", "lunch"),
        step("Lunch", "dinner"),
      ],
      undefined,
      [step("https://example.com/", "lunch"), step("LUNCH", "https://example.com/")],
    ]);
    const [first] = await scene.db.rows(
      `SELECT search @@ to_tsquery('english', 'lunch') AS found, search @@ to_tsquery('english', 'dinner') AS stale
       FROM messages WHERE id = $1`,
      [two],
    );
    expect(first).to.deep.equal({ found: true, stale: false });
  });

  it("changes together with one message's content in one history entry and one event", async () => {
    const [one, two] = [await say("lunch", mover), await say("lunch", mover)];
    const all = { content: "new", propagate_mode: "change_all" };
    const events = received(await move(two, "dinner", all), "update_message");
    expect(events).to.have.lengthOf(1);
    expect(events[0]?.payload).to.deep.include({
      message_id: two,
      message_ids: [one, two],
      content: "new",
      orig_content: "Soup?",
      subject: "dinner",
    });
    const [first, second] = await read(scene, owner, room);
    expect(first).to.include({ content: "Soup?", subject: "dinner" });
    expect(first).not.to.have.property("last_edit_timestamp");
    expect(second).to.include({ content: "new", subject: "dinner" });
    expect(second?.edit_history).to.deep.equal([
      {
        user_id: mover.id,
        timestamp: second?.last_edit_timestamp,
        prev_content: "Soup?",
        prev_rendered_content: "<p>Soup?</p>",
        prev_topic: "lunch",
        topic: "dinner",
      },
    ]);
    const { message_history } = await scene.gateway
      .as(owner)
      .succeed(getMessageHistory, { path: { message_id: two } });
    expect(message_history.map(({ topic, content }) => [topic, content])).to.deep.equal([
      ["lunch", "Soup?"],
      ["dinner", "new"],
    ]);
  });

  it("is trimmed and truncated, and the display name means the empty topic", async () => {
    const id = await say();
    await move(id, "x".repeat(1_000));
    expect((await topicsOf())[0]?.[1]).to.equal(`${"x".repeat(57)}...`);
    const [event] = await move(id, "general chat");
    expect(event?.payload["subject"]).to.equal("");
    await changeRefused(scene, mover, id, { topic: "" });
    await changeRefused(scene, mover, id, { topic: "general chat" });
    for (const topic of ["a\u0000b", "a\nb", "a\uffffb"])
      await changeRefused(scene, mover, id, { topic });
  });

  it("changes in case, with the topic policies of users", async () => {
    const id = await say("lunch");
    await setTopicPolicy(scene.db, owner, room, "lunch", "followed");
    const events = await move(id, "Lunch", { propagate_mode: "change_all" });
    expect(events.map(({ type }) => type)).to.deep.equal(["update_message"]);
    expect(await topicsOf()).to.deep.equal([[id, "Lunch"]]);
  });

  it("cannot be the resolved empty topic", async () => {
    const id = await say("");
    for (const topic of ["✔", "✔ ", "✔ general chat"])
      await changeRefused(scene, mover, id, { topic });
  });

  it("follows the channel's topics policy", async () => {
    const id = await say("lunch");
    await changeChannel(scene.db, room, { topicsPolicy: "disable_empty_topic" });
    const fields = { empty_topic_display_name: "general chat" };
    await changeRefused(scene, mover, id, { topic: "" }, "BAD_REQUEST", fields);
    await changeChannel(scene.db, room, { topicsPolicy: "empty_topic_only" });
    await changeRefused(scene, mover, id, { topic: "dinner" }, "BAD_REQUEST", fields);
    await move(id, "");
  });

  it("requires the permission to move in the organization or the channel, also for senders", async () => {
    const { guest, bot } = scene.org;
    const id = await say();
    await subscribe(scene.db, room, guest);
    await move(id, "by a guest", {}, guest);
    await move(id, "by a bot", {}, bot);
    await changeOrganization(scene.db, scene.org.realm, {
      canMoveMessagesBetweenTopicsGroupId: await only(bot),
    });
    await move(id, "by the bot", {}, bot);
    for (const one of [mover, owner, guest]) await changeRefused(scene, one, id, { topic: "no" });
    await changeChannel(scene.db, room, { canMoveMessagesWithinChannelGroupId: await only(guest) });
    await move(id, "by the guest", {}, guest);
    await changeRefused(scene, owner, id, { topic: "no" });
    await changeOrganization(scene.db, scene.org.realm, {
      canMoveMessagesBetweenTopicsGroupId: scene.org.groups["role:everyone"],
    });
  });

  it("is changed within seven days and twenty seconds, and later by moderators", async () => {
    const id = await say();
    await age(scene, id, week + 10);
    await move(id, "dinner");
    await age(scene, id, week + 30);
    await changeRefused(scene, mover, id, { topic: "lunch" });
    await move(id, "lunch", {}, scene.org.moderator);
  });

  it("is refused for change_all if older messages exceed the time limit, with their number", async () => {
    const ids = await pastMessages(scene.db, room, owner, { count: 3 });
    for (const old of ids.slice(0, 2)) await age(scene, old, week + 30);
    const last = ids[2] ?? 0;
    const all = { topic: "dinner", propagate_mode: "change_all" };
    const limits = {
      first_message_id_allowed_to_move: last,
      total_messages_in_topic: 3,
      total_messages_allowed_to_move: 1,
    };
    await changeRefused(scene, mover, last, all, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", limits);
    await move(last, "✔ lunch", { propagate_mode: "change_all" });
    await move(last, "dinner", { propagate_mode: "change_all" }, scene.org.moderator);
  });

  it("requires the permission to start topics if it is new", async () => {
    const [id, other] = [await say("lunch"), await say("rain")];
    await changeChannel(scene.db, room, { canCreateTopicGroupId: await only(owner) });
    await changeRefused(scene, mover, id, { topic: "dinner" });
    await move(id, "RAIN");
    // A resolved topic counts as the same topic.
    await move(other, "✔ rain", { propagate_mode: "change_all" });
    await move(id, "sun", {}, owner);
  });

  it("is refused for the first error in the order of checks", async () => {
    const id = await say("lunch", mover);
    await age(scene, id, week + 100);
    const message = async (params: object) =>
      (await changeRefused(scene, mover, id, { ...params })).msg;
    const everything = { content: "x", topic: "✔", stream_id: 1, propagate_mode: "change_all" };
    expect(await message(everything)).to.match(/edit the content of a message only within/);
    await age(scene, id, 0);
    expect(await message(everything)).to.match(/empty topic cannot be resolved/);
    expect(await message({ ...everything, topic: "dinner" })).to.match(/together with stream_id/);
    expect(await message({ topic: "dinner", stream_id: 2 ** 40 })).to.match(/no such channel/);
    const direct = await write(scene.gateway, mover, [owner]);
    const refusal = await changeRefused(scene, mover, direct, {
      topic: "✔",
      propagate_mode: "change_all",
    });
    expect(refusal.msg).to.match(/Direct messages have no topic/);
  });

  it("moves topic policies of users if the whole topic moves", async () => {
    const { db } = scene;
    const wanting = async () => {
      const rows = await db.rows<{ id: number; topic: string; policy: number }>(
        `SELECT user_id AS id, topic, visibility_policy AS policy FROM user_topics WHERE channel_id = $1
         ORDER BY topic, user_id`,
        [room.id],
      );
      return rows.map(({ id, topic, policy }) => [topic, id, policy]);
    };
    const [one, two] = [await say("lunch"), await say("lunch")];
    await db.rows("UPDATE user_topics SET topic = 'LUNCH' WHERE user_id = $1 AND channel_id = $2", [
      owner.id,
      room.id,
    ]);
    await setTopicPolicy(db, owner, room, "lunch", "followed");
    await setTopicPolicy(db, mover, room, "dinner", "muted");
    // Moving a part of the topic leaves the policies.
    await move(one, "rain");
    expect((await wanting()).map(([topic]) => topic)).to.have.members(["dinner", "LUNCH"]);
    // Moving the last message takes them along; policies of a destination without messages are discarded.
    const events = await move(two, "dinner");
    expect(await wanting()).to.deep.equal([["dinner", owner.id, topicPolicy.followed]]);
    const policies = received(events, "user_topic").map(({ payload, audience }) => {
      const { topic_name, visibility_policy } = payload;
      return [topic_name, visibility_policy, audience];
    });
    expect(policies).to.deep.equal([
      ["LUNCH", 0, [owner.id]],
      ["dinner", 0, [mover.id]],
      ["dinner", topicPolicy.followed, [owner.id]],
    ]);
  });

  it("keeps the stronger policy when two topics are merged", async () => {
    const { db, org } = scene;
    const names = ["muted", "inherit", "unmuted", "followed"] as const;
    const pairs = names.flatMap((from, a) =>
      names.map((to, b) => ({ from, to, kept: names.at(Math.max(a, b))! })),
    );
    const people: TestAccount[] = [];
    const one = await say("lunch");
    await say("dinner");
    for (const { from, to } of pairs) {
      const person = await user(db, org.realm);
      people.push(person);
      if (from !== "inherit") await setTopicPolicy(db, person, room, "lunch", from);
      if (to !== "inherit") await setTopicPolicy(db, person, room, "dinner", to);
    }
    const events = await move(one, "Dinner", { propagate_mode: "change_all" });
    for (const [i, { kept }] of pairs.entries()) {
      const rows = await db.rows<{ topic: string; policy: number }>(
        "SELECT lower(topic) AS topic, visibility_policy AS policy FROM user_topics WHERE user_id = $1",
        [people.at(i)!.id],
      );
      const right = kept === "inherit" ? [] : [{ topic: "dinner", policy: topicPolicy[kept] }];
      expect(rows, JSON.stringify(pairs[i])).to.deep.equal(right);
    }
    // One event for all receivers with the same payload.
    expect(received(events, "user_topic").length).to.be.at.most(6);
  });

  it("moves messages of protected history that the mover received, with events of each receiver's messages", async () => {
    const { db, org } = scene;
    const late = await user(db, org.realm);
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [owner, mover] });
    const old = await say("lunch", owner, closed);
    await unsubscribe(db, closed, mover);
    const missed = await say("lunch", owner, closed);
    await subscribe(db, closed, mover, late);
    const [one, two] = [await say("lunch", owner, closed), await say("lunch", owner, closed)];
    await setTopicPolicy(db, late, closed, "lunch", "followed");
    const events = await move(two, "dinner", { propagate_mode: "change_all" });
    expect(
      received(events, "update_message").map(({ payload, audience }) => [
        payload["message_id"],
        payload["message_ids"],
        audience,
      ]),
    ).to.have.deep.members([
      [old, [old], ascendingIds(owner, mover)],
      [two, [one, two], ascendingIds(owner, mover, late)],
    ]);
    const rows = await db.rows("SELECT topic FROM messages WHERE recipient_id = $1 ORDER BY id", [
      closed.recipientId,
    ]);
    expect(rows).to.deep.equal(["dinner", "lunch", "dinner", "dinner"].map((topic) => ({ topic })));
    expect(await flagsOf(scene, mover, missed)).to.equal(undefined);
  });

  it("sends the most common flags once, and other flags by account", async () => {
    const { db, org } = scene;
    const [reader, starring, outsider] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    await subscribe(db, room, reader, starring);
    const id = await say();
    await subscribe(db, room, outsider);
    await db.rows("UPDATE user_messages SET flags = 1 WHERE user_id = $1", [reader.id]);
    await db.rows("UPDATE user_messages SET flags = 3 WHERE user_id = $1", [starring.id]);
    const [event] = await move(id, "dinner");
    expect(event?.payload["flags"]).to.deep.equal([]);
    expect(event?.userData).to.deep.equal({
      [reader.id]: { flags: ["read"] },
      [starring.id]: { flags: ["read", "starred"] },
      [outsider.id]: { flags: ["read", "historical"] },
    });
  });

  it("moves fifty thousand messages at most, the newest ones of larger topics", async () => {
    const first = await say("lunch");
    await scene.db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT realm_id, sender_id, recipient_id, true, topic, 'soup', '', 1, client_id
       FROM messages, generate_series(1, $2::int) WHERE id = $1`,
      [first, bounds.movedMessages],
    );
    for (const params of [{ topic: "dinner" }, { topic: "\u2714 lunch" }])
      await changeRefused(scene, owner, first, { ...params, propagate_mode: "change_all" });
    const [newest] = await scene.db.rows<{ id: number }>(
      "SELECT max(id) AS id FROM messages WHERE recipient_id = $1",
      [room.recipientId],
    );
    await move(newest?.id ?? 0, "dinner", { propagate_mode: "change_later" }, owner);
  });
});
