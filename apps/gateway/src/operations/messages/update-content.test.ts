import { createHash } from "node:crypto";

import { getMessage, getMessageHistory } from "@carillon/contract";
import {
  alertWord,
  anonymousGroup,
  ascendingIds,
  changeChannel,
  changesOf,
  channel,
  send,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  unsubscribe,
  useGateway,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  age,
  ask,
  change,
  changeRefused,
  flagsOf,
  received,
} from "../../test-support/changing-messages.ts";
import { post, write } from "../../test-support/reading-messages.ts";

const bits = { read: 1, mentioned: 8, stream: 16, topic: 32, alert: 64 } as const;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("PATCH /messages/{message_id}: content", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.owner] });
  });

  const say = (content: string, topic = "lunch") =>
    post(scene.gateway, sender, room, topic, content);
  const edit = (id: number, content: string, more = {}) =>
    change(scene, sender, id, { content, ...more });
  const get = async (id: number, by = sender) =>
    (
      await scene.gateway
        .as(by)
        .succeed(getMessage, { path: { message_id: id }, params: { apply_markdown: false } })
    ).message;

  it("is replaced and rendered, with the previous content in the event", async () => {
    const id = await say("*one*");
    const events = await edit(id, "/me says [two](https://example.com/)");
    const message = await get(id);
    expect(message).to.deep.include({
      content: "/me says [two](https://example.com/)",
      is_me_message: true,
    });
    const html = `<p>/me says <a href="https://example.com/">two</a></p>`;
    expect(message.edit_history).to.deep.equal([
      {
        user_id: sender.id,
        timestamp: message.last_edit_timestamp,
        prev_content: "*one*",
        prev_rendered_content: "<p><em>one</em></p>",
      },
    ]);
    expect(message).not.to.have.property("last_moved_timestamp");
    expect(
      events.map(({ type, payload, audience }) => ({ type, payload, audience })),
    ).to.deep.equal([
      {
        type: "update_message",
        payload: {
          user_id: sender.id,
          message_id: id,
          message_ids: [id],
          flags: [],
          edit_timestamp: message.last_edit_timestamp,
          rendering_only: false,
          stream_id: room.id,
          stream_name: room.name,
          orig_content: "*one*",
          orig_rendered_content: "<p><em>one</em></p>",
          content: "/me says [two](https://example.com/)",
          rendered_content: html,
          is_me_message: true,
        },
        audience: ascendingIds(sender, scene.org.owner),
      },
    ]);
    const [row] = await scene.db.rows(
      `SELECT has_link AS link, rendered_content AS html, search @@ to_tsquery('english', 'two') AS found,
         search @@ to_tsquery('english', 'one') AS stale, search @@ to_tsquery('english', 'lunch') AS topic
       FROM messages WHERE id = $1`,
      [id],
    );
    expect(row).to.deep.equal({ link: true, html, found: true, stale: false, topic: true });
  });

  it("has its history, newest change first", async () => {
    const id = await say("one");
    await edit(id, "two");
    await edit(id, "three");
    const { edit_history: history } = await get(id);
    expect(history?.map(({ prev_content }) => prev_content)).to.deep.equal(["two", "one"]);
    const { message_history } = await scene.gateway
      .as(sender)
      .succeed(getMessageHistory, { path: { message_id: id } });
    expect(message_history.map(({ content }) => content)).to.deep.equal(["one", "two", "three"]);
  });

  it("is trimmed and truncated, and becomes (deleted) if blank", async () => {
    const id = await say("one");
    await edit(id, "\n\n  indented  \n ");
    expect((await get(id)).content).to.equal("  indented");
    await edit(id, "x".repeat(1_000_000));
    const { content } = await get(id);
    expect(content).to.have.lengthOf(10_000);
    expect(content.endsWith("\n[message truncated]")).to.equal(true);
    await edit(id, " \n ");
    expect((await get(id)).content).to.equal("(deleted)");
  });

  it("is sent to all participants of a direct message", async () => {
    const { owner, guest } = scene.org;
    const id = await write(scene.gateway, sender, [owner, guest], "one");
    const [event, ...more] = await edit(id, "two");
    expect(more).to.deep.equal([]);
    expect(event?.audience).to.deep.equal(ascendingIds(sender, owner, guest));
    expect(event?.payload).to.include({ content: "two", orig_content: "one" });
    for (const field of ["stream_id", "stream_name", "propagate_mode", "orig_subject", "subject"])
      expect(event?.payload).not.to.have.property(field);
    expect((await get(id, guest)).content).to.equal("two");
  });

  it("is not changed, without an event, if it is the same", async () => {
    const id = await say("one");
    const { tables } = await changesOf(scene.db, () => edit(id, "one\n"));
    expect(tables).to.deep.equal([]);
  });

  it("is editable by its sender only, for ten minutes and twenty seconds", async () => {
    const { owner, bot } = scene.org;
    const id = await say("one");
    await changeRefused(scene, owner, id, { content: "two" });
    await changeRefused(scene, bot, id, { content: "two" });
    await age(scene, id, 610);
    await edit(id, "two");
    await age(scene, id, 630);
    await changeRefused(scene, sender, id, { content: "three" });
    const byBot = await send(scene.as(bot), toChannel(room.id, { content: "one" }));
    await change(scene, bot, byBot, { content: "two" });
    await changeRefused(scene, sender, byBot, { content: "three" });
  });

  it("is editable if the message is visible and its channel is not archived", async () => {
    const id = await say("one");
    await changeRefused(scene, scene.org.guest, id, { content: "two" });
    await changeRefused(scene, sender, 2 ** 40, { content: "two" });
    const closed = await channel(scene.db, scene.org.realm, {
      inviteOnly: true,
      subscribers: [sender],
    });
    const hidden = await post(scene.gateway, sender, closed);
    await unsubscribe(scene.db, closed, sender);
    await changeRefused(scene, sender, hidden, { content: "two" });
    await changeChannel(scene.db, room, { isArchived: true });
    await changeRefused(scene, sender, id, { content: "two" });
  });

  it("is editable even if the sender may no longer send", async () => {
    const { groups } = scene.org;
    const id = await say("one");
    await changeChannel(scene.db, room, { canSendMessageGroupId: groups["role:nobody"] });
    await unsubscribe(scene.db, room, sender);
    await edit(id, "two");
  });

  it("is not editable in a widget, which can still be moved", async () => {
    const id = await say("one");
    await scene.db.prisma.submessage.create({
      data: { messageId: id, senderId: sender.id, msgType: "widget", content: "{}" },
    });
    const wrong = { content: "two", prev_content_sha256: sha256("two") };
    const { msg } = await changeRefused(scene, sender, id, wrong);
    expect(msg).to.match(/widget/);
    await change(scene, sender, id, { topic: "dinner" });
  });

  it("is refused if the expected content differs", async () => {
    const id = await say("one");
    const mismatch = { field_name: "prev_content_sha256" };
    for (const prev_content_sha256 of [sha256("two"), "nonsense"])
      await changeRefused(
        scene,
        sender,
        id,
        { content: "two", prev_content_sha256 },
        "EXPECTATION_MISMATCH",
        mismatch,
      );
    await edit(id, "two", { prev_content_sha256: sha256("one").toUpperCase() });
    await changeRefused(
      scene,
      sender,
      id,
      { content: "three", prev_content_sha256: sha256("one") },
      "EXPECTATION_MISMATCH",
      mismatch,
    );
  });

  it("is refused for empty requests and channel fields of direct messages", async () => {
    const id = await say("one");
    const direct = await write(scene.gateway, sender, [scene.org.owner]);
    await changeRefused(scene, sender, id, {});
    await changeRefused(scene, sender, id, { prev_content_sha256: sha256("one") });
    await changeRefused(scene, sender, id, { topic: " lunch ", stream_id: room.id });
    for (const params of [{ topic: "lunch" }, { stream_id: room.id }, { topic: "" }])
      for (const content of [undefined, "two"])
        await changeRefused(scene, sender, direct, { content, ...params });
    for (const propagate_mode of ["change_later", "change_all"])
      await changeRefused(scene, sender, id, { content: "two", propagate_mode });
    await changeRefused(scene, sender, id, { content: "two", propagate_mode: "change_some" });
    await changeRefused(scene, sender, id, { content: "two\u0000" });
    await changeRefused(
      scene,
      sender,
      id,
      { content: "two", topic: "a", subject: "a" },
      "REQUEST_CONFUSING_VAR",
    );
    const other = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
    await changeRefused(scene, sender, id, { content: "two", stream_id: other.id });
  });

  it("updates mentions and alert words of copies in both directions, and creates no copies", async () => {
    const { db, org } = scene;
    const [called, team, worded, stranger] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    await subscribe(db, room, called, team, worded);
    await alertWord(db, worded, "soup");
    const group = await userGroup(db, org.realm, { members: [team] });
    const id = await say("plain");
    await db.rows("UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1", [called.id]);
    const flags = async () =>
      Promise.all([called, team, worded, stranger].map((one) => flagsOf(scene, one, id)));

    const [event] = await edit(
      id,
      `soup @**${called.fullName}** @*${group.name}* @**${stranger.fullName}**`,
    );
    expect(await flags()).to.deep.equal([
      bits.read | bits.mentioned,
      bits.mentioned,
      bits.alert,
      undefined,
    ]);
    expect(event?.userData).to.deep.equal({
      [called.id]: { flags: ["read", "mentioned"] },
      [team.id]: { flags: ["mentioned"] },
      [worded.id]: { flags: ["has_alert_word"] },
    });
    await edit(id, "@**all**");
    expect(await flags()).to.deep.equal([
      bits.read | bits.stream,
      bits.stream,
      bits.stream,
      undefined,
    ]);
    await edit(id, "@**topic**");
    expect(await flags()).to.deep.equal([bits.read, 0, 0, undefined]);
    expect(await flagsOf(scene, sender, id)).to.equal(bits.topic);
    await edit(id, "plain again");
    expect(await flags()).to.deep.equal([bits.read, 0, 0, undefined]);
  });

  it("requires permissions for wildcard and group mentions", async () => {
    const { db, org } = scene;
    const crowd = [];
    for (let n = 0; n < 15; n++) crowd.push(await user(db, org.realm));
    await subscribe(db, room, ...crowd);
    const id = await say("plain");
    await changeRefused(
      scene,
      sender,
      id,
      { content: "@**all**" },
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    );
    for (const one of crowd) await post(scene.gateway, one, room);
    const owned = await post(scene.gateway, org.owner, room);
    await changeRefused(
      scene,
      sender,
      id,
      { content: "@**topic**" },
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    );
    await change(scene, org.owner, owned, { content: "@**all** @**topic**" });
    const closed = await userGroup(db, org.realm, { members: [org.owner] });
    await db.prisma.namedUserGroup.update({
      where: { id: closed.id },
      data: { canMentionGroupId: await anonymousGroup(db, org.realm.id, [org.owner.id]) },
    });
    await changeRefused(scene, sender, id, { content: `@*${closed.name}*` });
  });

  it("is sent to receivers who can read it, and to subscribers of shared history", async () => {
    const { db, org } = scene;
    const [late, gone, starring] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    const receivers = async (id: number) =>
      (await edit(id, `now ${id}`)).map(({ audience }) => audience);
    // Public: current and later subscribers, and accounts with a copy.
    await subscribe(db, room, gone);
    const open = await say("one");
    await unsubscribe(db, room, gone);
    await subscribe(db, room, late);
    await db.rows("INSERT INTO user_messages VALUES ($1, $2, 131)", [starring.id, open]);
    expect(await receivers(open)).to.deep.equal([
      ascendingIds(sender, org.owner, late, gone, starring),
    ]);
    // Private: no account that has left the channel.
    for (const historyPublicToSubscribers of [true, false]) {
      const closed = await channel(db, org.realm, {
        inviteOnly: true,
        historyPublicToSubscribers,
        subscribers: [sender, gone],
      });
      const id = await post(scene.gateway, sender, closed, "lunch", "one");
      await unsubscribe(db, closed, gone);
      await subscribe(db, closed, late);
      const shared = historyPublicToSubscribers ? [late] : [];
      expect(await receivers(id)).to.deep.equal([ascendingIds(sender, ...shared)]);
    }
  });

  it("has one of two values after concurrent edits over two gateways", async () => {
    const id = await say("one");
    const prev_content_sha256 = sha256("one");
    const answers = await Promise.all(
      [scene.gateway, second].map((gateway, n) =>
        ask({ gateway }, sender, id, { content: `by ${n}`, prev_content_sha256 }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const message = await get(id);
    expect(message.content).to.equal(`by ${winner}`);
    expect(message.edit_history).to.have.lengthOf(1);
  });

  it("is shown with its current value in conversations with a deactivated account", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    const id = await send(scene.as(sender), toUsers([friend.id], { content: "one" }));
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [friend.id]);
    const events = await edit(id, "two");
    expect(received(events, "update_message")[0]?.audience).to.deep.equal([sender.id]);
  });
});
