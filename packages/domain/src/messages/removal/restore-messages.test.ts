import { deleteTopic as deleteTopicOperation } from "@carillon/contract";
import {
  changeChannel,
  channel,
  deactivateUser,
  eventsOf,
  pastMessages,
  send,
  snapshotOf,
  toChannel,
  unsubscribe,
  user,
  useScene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { listArchivedRuns, restoreMessages } from "./restore-messages.ts";

describe("Restoring removed messages", () => {
  const scene = useScene();
  const { db } = scene;
  let room: TestChannel;
  let reader: TestAccount;

  beforeEach(async () => {
    reader = await user(db, scene.org.realm);
    room = await channel(db, scene.org.owner, { subscribers: [scene.org.owner, reader] });
  });

  const remove = (topic: string) =>
    scene.as(scene.org.admin).succeed(deleteTopicOperation, {
      path: { stream_id: room.id },
      params: { topic_name: topic },
    });
  /** Returns all data of the channel's messages and copies. */
  const contents = () =>
    db.rows(
      `SELECT to_jsonb(m) AS message, m.search::text AS search,
         (SELECT json_agg(um ORDER BY um.user_id) FROM user_messages um WHERE um.message_id = m.id) AS copies
       FROM messages m WHERE m.recipient_id = $1 ORDER BY m.id`,
      [room.recipientId],
    );
  const firstOf = async () =>
    (await db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } })).firstMessageId;
  const archive = () =>
    db.rows("SELECT FROM archived_messages WHERE recipient_id = $1", [room.recipientId]);
  const runsOf = async () =>
    (await listArchivedRuns(db)).filter(({ channelId }) => channelId === room.id);

  it("restores everything that was removed from a channel exactly, and only once", async () => {
    const owner = scene.as(scene.org.owner);
    const content = `<b>Soup</b> & *bread*, @**${reader.fullName}** https://example.com`;
    await send(owner, toChannel(room.id, { topic: "a & b", content }));
    await send(scene.as(reader), toChannel(room.id, { topic: "" }));
    await send(owner, toChannel(room.id, { topic: "stays" }));
    await db.rows("UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1", [reader.id]);
    const [before, first, snapshot] = [
      await contents(),
      await firstOf(),
      await snapshotOf(scene.as(reader), ["message", "update_message_flags"]),
    ];
    await remove("a & b");
    await remove("");
    expect(await contents()).to.have.lengthOf(1);

    expect(await restoreMessages(db, { channel: room.id })).to.equal(2);
    expect(await contents()).to.deep.equal(before);
    expect(await firstOf()).to.equal(first);
    expect([await archive(), await runsOf()]).to.deep.equal([[], []]);
    const after = await snapshotOf(scene.as(reader), ["message", "update_message_flags"]);
    expect(after["unread_msgs"]).to.deep.equal(snapshot["unread_msgs"]);
    expect(await restoreMessages(db, { channel: room.id })).to.equal(0);
    expect(await contents()).to.deep.equal(before);
  });

  it("restores the messages of one run, and the channel's first message", async () => {
    const [rain] = await pastMessages(db, room, reader, { topic: "rain", daysAgo: 9 });
    const [sun] = await pastMessages(db, room, reader, { topic: "sun", daysAgo: 8 });
    await remove("rain");
    await remove("sun");
    expect(await firstOf()).to.equal(null);
    const [one, other] = await runsOf();
    expect(one).to.deep.include({
      channel: room.name,
      cause: "topic",
      actorId: scene.org.admin.id,
      messages: 1,
    });
    expect(await restoreMessages(db, { run: other?.id ?? 0 })).to.equal(1);
    expect(await firstOf()).to.equal(BigInt(sun ?? 0));
    expect(await restoreMessages(db, { run: one?.id ?? 0 })).to.equal(1);
    expect(await firstOf()).to.equal(BigInt(rain ?? 0));
  });

  it("works for an archived channel, and for copies of former subscribers and deactivated accounts", async () => {
    await pastMessages(db, room, reader, { daysAgo: 9 });
    const before = await contents();
    await remove("lunch");
    await changeChannel(db, room, { isArchived: true });
    await unsubscribe(db, room, reader);
    await deactivateUser(db, reader);
    expect(await restoreMessages(db, { channel: room.id })).to.equal(1);
    expect(await contents()).to.deep.equal(before);
  });

  it("continues after a failure, and serializes concurrent calls", async () => {
    await pastMessages(db, room, reader, { count: 1_700, daysAgo: 9 });
    const before = await contents();
    await remove("lunch");
    await db.rows(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
    );
    const [row] = before as Array<{ message: { id: number } }>;
    await db.rows(
      `CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW
       WHEN (NEW.id = ${(row?.message.id ?? 0) + 1_200}) EXECUTE FUNCTION refuse()`,
    );
    const failure = await restoreMessages(db, { channel: room.id }).catch(String);
    expect(failure).to.contain("no");
    expect(await contents()).to.have.lengthOf(1_000);
    await db.rows("DROP FUNCTION refuse CASCADE");
    const counts = await Promise.all([
      restoreMessages(db, { channel: room.id }),
      restoreMessages(db, { channel: room.id }),
    ]);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(700);
    expect(await contents()).to.deep.equal(before);
  });

  it("sends no event, and writes the audit log", async () => {
    await pastMessages(db, room, reader, { daysAgo: 9 });
    await remove("lunch");
    const { events } = await eventsOf(db, room.realmId, () =>
      restoreMessages(db, { channel: room.id }),
    );
    expect(events).to.deep.equal([]);
    const audit = await db.rows(
      `SELECT acting_user_id AS actor, extra_data->'messages' AS messages FROM audit_log
       WHERE event_type = 'messages_restored' AND extra_data->>'stream_id' = $1`,
      [String(room.id)],
    );
    expect(audit).to.deep.equal([{ actor: null, messages: 1 }]);
  });
});
