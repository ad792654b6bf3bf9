import { sendNotice } from "@carillon/jobs";
import {
  bot,
  changeChannel,
  channel,
  channelMessage,
  deliverNow,
  messagesOf,
  messagesPath,
  noticesTo,
  organization,
  refusedWith,
  runJob,
  schedule,
  send,
  sendRefused,
  storedRow,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  unique,
  user,
  useScene,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

describe("The destination of a message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  before(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, {
      name: unique("Räume, grüne"),
      subscribers: [sender],
    });
  });

  const wentTo = async (id: number) => {
    const [row] = await scene.db.rows<{ channelId: number | null; memberIds: number[] | null }>(
      `SELECT r.channel_id AS "channelId", r.member_ids AS "memberIds"
       FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE m.id = $1`,
      [id],
    );
    return row;
  };
  const refused = (to: unknown, code?: string, extra?: Readonly<Record<string, unknown>>) =>
    sendRefused(scene, sender, toChannel(to), code, extra);
  const refusedDirect = (to: unknown) => sendRefused(scene, sender, toUsers(to));

  describe("a channel", () => {
    it("is given by ID, by name with or without quotes in any case, or by a list of one", async () => {
      const { id, name } = room;
      const given = [id, [id], name, ` ${name} `, JSON.stringify(name), name.toUpperCase(), [name]];
      for (const to of given) {
        const sent = await send(scene.as(sender), toChannel(to));
        expect((await wentTo(sent))?.channelId, JSON.stringify(to)).to.equal(id);
      }
    });

    it("is an ID if it is a number; a name of digits needs quotes", async () => {
      const name = `${Date.now()}`;
      const numbered = await channel(scene.db, scene.org.realm, { name });
      await refused(name, "STREAM_DOES_NOT_EXIST", { stream_id: Number(name) });
      const sent = await send(scene.as(sender), toChannel(`"${name}"`));
      expect((await wentTo(sent))?.channelId).to.equal(numbered.id);
    });

    it("is reported in the error by the given ID or name", async () => {
      await refused(2_000_000_000, "STREAM_DOES_NOT_EXIST", { stream_id: 2_000_000_000 });
      await refused([2_000_000_000], "STREAM_DOES_NOT_EXIST", { stream_id: 2_000_000_000 });
      await refused("nowhere", "STREAM_DOES_NOT_EXIST", { stream: "nowhere" });
      await refused('"nowhere"', "STREAM_DOES_NOT_EXIST", { stream: "nowhere" });
      await refused(["nowhere"], "STREAM_DOES_NOT_EXIST", { stream: "nowhere" });
    });

    it("is a single one", async () => {
      for (const to of [undefined, "[]", [room.id, room.id], [room.name, room.name]])
        await refused(to);
      for (const to of ["{}", "true", "null", "1.5", "[null]", "[[1]]", '{"a":1}'])
        await refused(to);
    });

    it("belongs to the sender's organization", async () => {
      const other = await organization(scene.db);
      const { id, name } = await channel(scene.db, other.realm);
      await refused(id, "STREAM_DOES_NOT_EXIST", { stream_id: id });
      await refused(name, "STREAM_DOES_NOT_EXIST", { stream: name });
    });

    it("exists by ID even if hidden from the sender, but not by name", async () => {
      const { db, org } = scene;
      const { id, name } = await channel(db, org.realm, { inviteOnly: true });
      await refused(id);
      await changeChannel(db, id, { topicsPolicy: "disable_empty_topic" });
      for (const over of [{}, { topic: "" }, { topic: undefined }, { content: "" }]) {
        const answers = [];
        for (const to of [name, "no such channel"]) {
          const { status, body } = await scene.as(sender).post(messagesPath, toChannel(to, over));
          answers.push(JSON.stringify([status, body]).replaceAll(to, "NAME"));
        }
        expect(answers[0]).to.equal(answers[1]);
      }
      await refused(name, "STREAM_DOES_NOT_EXIST", { stream: name });
      await refused(name.toUpperCase(), "STREAM_DOES_NOT_EXIST", { stream: name.toUpperCase() });
      await subscribe(db, id, org.bot);
      await refused(name, "STREAM_DOES_NOT_EXIST", { stream: name });
    });

    it("is visible by name to its administrators, to owners of bots in it, and to these bots", async () => {
      const { db, org } = scene;
      const { id, name } = await channel(db, org.realm, { inviteOnly: true });
      await sendRefused(scene, org.admin, toChannel(name));
      await subscribe(db, id, sender);
      await send(scene.as(await bot(db, sender)), toChannel(name));
    });

    it("defaults to the bot's default channel", async () => {
      const { db, org } = scene;
      const own = await bot(db, org.owner, { row: { defaultSendingChannelId: room.id } });
      for (const to of [undefined, "[]"]) {
        const sent = await send(scene.as(own), toChannel(to));
        expect((await wentTo(sent))?.channelId).to.equal(room.id);
      }
      await sendRefused(scene, org.bot, toChannel(undefined));
    });
  });

  describe("people", () => {
    it("are given by a list of IDs or addresses, or by comma-separated addresses", async () => {
      const { guest, admin } = scene.org;
      const both = [sender.id, guest.id, admin.id].toSorted((a, b) => a - b);
      for (const to of [
        [guest.id, admin.id],
        [guest.id, admin.id, guest.id, sender.id],
        [guest.email, admin.email],
        `${guest.email},${admin.email}`,
        ` ${guest.email} , ,${admin.email}, `,
        [guest.email.toUpperCase(), admin.email],
      ]) {
        const sent = await send(scene.as(sender), toUsers(to));
        expect((await wentTo(sent))?.memberIds, JSON.stringify(to)).to.deep.equal(both);
      }
      const alone = await send(scene.as(sender), toUsers(guest.email));
      const pair = [sender.id, guest.id].toSorted((a, b) => a - b);
      expect((await wentTo(alone))?.memberIds).to.deep.equal(pair);
      const quoted = await send(scene.as(sender), toUsers(JSON.stringify(guest.email)));
      expect((await wentTo(quoted))?.memberIds).to.deep.equal(pair);
    });

    it("include the sender alone or with others", async () => {
      for (const to of [[sender.id], [sender.email], sender.email]) {
        const sent = await send(scene.as(sender), toUsers(to));
        expect((await wentTo(sent))?.memberIds).to.deep.equal([sender.id]);
      }
    });

    it("are given by the visible address, not a hidden one", async () => {
      const settings = { email_address_visibility: 4 };
      const hidden = await user(scene.db, scene.org.realm, { settings });
      await send(scene.as(sender), toUsers([hidden.email]));
      await refusedDirect([hidden.deliveryEmail]);
    });

    it("refuse mixed lists, bare IDs and empty lists", async () => {
      const { guest } = scene.org;
      await refusedDirect([guest.id, guest.email]);
      await refusedDirect(guest.id);
      for (const to of [
        undefined,
        "[]",
        "",
        ",",
        " , ",
        '""',
        "{}",
        "true",
        "null",
        "[true]",
        "[[1]]",
      ]) {
        await refusedDirect(to);
      }
    });

    it("must be known and active", async () => {
      const { db, org } = scene;
      for (const to of [
        [2_000_000_000],
        ["nobody@carillon.test"],
        "nobody@carillon.test",
        "nobody",
      ]) {
        await refusedDirect(to);
      }
      const gone = await user(db, org.realm, { isActive: false });
      await refusedDirect([gone.id]);
      await refusedDirect([gone.email]);
      const other = await organization(db);
      await refusedDirect([other.member.id]);
      await refusedDirect([other.member.email]);
    });

    it("are one conversation, whoever sends", async () => {
      const { admin, moderator } = scene.org;
      await send(scene.as(admin), toUsers([moderator.id], { content: "ping" }));
      await send(scene.as(moderator), toUsers([admin.id], { content: "pong", topic: "ignored" }));
      for (const [reader, other] of [
        [admin, moderator],
        [moderator, admin],
      ] as const) {
        const talk = await messagesOf(scene.as(reader), withUsers(other.id));
        expect(talk.map(({ content, subject }) => [content, subject])).to.deep.equal([
          ["ping", ""],
          ["pong", ""],
        ]);
      }
    });
  });

  describe("a channel without readers, from a bot", () => {
    let owner: TestAccount;
    let talker: TestAccount;
    beforeEach(async () => {
      owner = await user(scene.db, scene.org.realm);
      talker = await bot(scene.db, owner);
    });
    /** Runs the given number of jobs that notify the owner, each twice. */
    async function tellUnheard(count: number): Promise<void> {
      const { db } = scene;
      const written = await db.rows<{ intentId: number; version: number }>(
        `SELECT id AS "intentId", version FROM job_intent WHERE state = 'pending' AND (payload->>'botId')::int = $1`,
        [talker.id],
      );
      expect(written).to.have.length(count);
      for (const intent of [...written, ...written]) await runJob(db, sendNotice, intent);
    }
    const received = () => noticesTo(scene.as(owner), scene.org.notificationBot);

    it("notifies the owner of a missing channel, once in five minutes", async () => {
      for (let n = 0; n < 2; n++) {
        const answer = await scene.as(talker).post(messagesPath, toChannel("nowhere at all"));
        refusedWith(answer, "STREAM_DOES_NOT_EXIST", { stream: "nowhere at all" });
      }
      const notices = await received();
      expect(notices).to.have.length(1);
      expect(notices[0]?.sender_id).to.equal(scene.org.notificationBot.id);
    });

    it("notifies the owner of a missing channel with a shortened name", async () => {
      const stream = "n".repeat(20_000);
      const answer = await scene.as(talker).post(messagesPath, toChannel(stream));
      refusedWith(answer, "STREAM_DOES_NOT_EXIST", { stream });
      const notices = await received();
      expect(notices).to.have.length(1);
      expect(notices[0]?.content.length).to.be.below(1_000);
    });

    it("notifies the owner of a channel without subscribers, and sends the message", async () => {
      const empty = await channel(scene.db, scene.org.realm);
      const sent = await send(scene.as(talker), toChannel(empty.id));
      expect((await wentTo(sent))?.channelId).to.equal(empty.id);
      await tellUnheard(1);
      expect(await received()).to.have.length(1);
    });

    it("notifies the owner of scheduled messages in the same way, once for many", async () => {
      const { db, org } = scene;
      const empty = await channel(db, org.realm);
      const ids = [];
      for (let n = 0; n < 3; n++)
        ids.push(await schedule(scene.as(talker), channelMessage(empty.id)));
      await deliverNow(db, org.realm, ids);
      await send(scene.as(talker), toChannel(empty.id));
      for (const id of ids) expect(await storedRow(db, id)).to.include({ delivered: true });
      await tellUnheard(1);
      const [notice, ...others] = await received();
      expect(others).to.deep.equal([]);
      expect(notice?.content).to.contain(empty.name);
    });

    it("sends no notification for people, or for a bot whose channel has subscribers", async () => {
      await send(scene.as(talker), toChannel(room.id));
      await tellUnheard(0);
      expect(await received()).to.have.length(0);
    });
  });
});
