import { removeSubscriptions } from "@carillon/contract";
import type { Database } from "@carillon/db";
import {
  channel,
  crowd,
  eventsOf,
  pastMessages,
  reload,
  send,
  subscribe,
  toChannel,
  useBlocker,
  user,
  useScene,
  type LoggedEvent,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { deleteTopic } from "./delete-messages.ts";

describe("Deleting a topic in steps", () => {
  const scene = useScene();
  const { db } = scene;
  const blocker = useBlocker(db);
  let room: TestChannel;
  let reader: TestAccount;

  beforeEach(async () => {
    reader = await user(db, scene.org.realm);
    room = await channel(db, scene.org.owner, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [scene.org.owner, reader],
    });
  });

  const remove = (budgetMs?: number, through: Database = db) =>
    deleteTopic(through, scene.org.owner, { channelId: room.id, topic: "LUNCH" }, budgetMs);
  const eventsWhile = async (work: () => Promise<unknown>) =>
    (await eventsOf(db, scene.org.realm.id, work)).events;
  const deletions = (events: readonly LoggedEvent[]) =>
    events
      .filter(({ type }) => type === "delete_message")
      .map(({ payload }) => payload["message_ids"] as number[]);
  const left = async () => {
    const rows = await db.rows<{ id: number }>(
      "SELECT id FROM messages WHERE recipient_id = $1 ORDER BY id",
      [room.recipientId],
    );
    return rows.map(({ id }) => id);
  };
  const firstOf = async () => {
    const { firstMessageId } = await db.prisma.channel.findUniqueOrThrow({
      where: { id: room.id },
    });
    return firstMessageId === null ? null : Number(firstMessageId);
  };
  const runs = () =>
    db.rows<{ messages: number }>(
      `SELECT count(*)::int AS messages FROM message_removals r JOIN archived_messages a ON a.removal_id = r.id
       WHERE r.channel_id = $1 GROUP BY r.id ORDER BY r.id`,
      [room.id],
    );

  it("deletes the newest thousand first, reports that the time is over, and continues when called again", async () => {
    const ids = await pastMessages(db, room, reader, { count: 2_300, daysAgo: 3 });
    const answers: boolean[] = [];
    const events = await eventsWhile(async () => {
      for (let turn = 0; turn < 3; turn++) answers.push(await remove(0));
    });
    expect(answers).to.deep.equal([false, false, true]);
    expect(deletions(events)).to.deep.equal([
      ids.slice(1_300),
      ids.slice(300, 1_300),
      ids.slice(0, 300),
    ]);
    expect(await left()).to.deep.equal([]);
    expect(await runs()).to.deep.equal([
      { messages: 1_000 },
      { messages: 1_000 },
      { messages: 300 },
    ]);
  });

  it("is one run if the time suffices", async () => {
    await pastMessages(db, room, reader, { count: 1_001, daysAgo: 3 });
    expect(await remove()).to.equal(true);
    expect(await left()).to.deep.equal([]);
    expect(await runs()).to.deep.equal([{ messages: 1_001 }]);
  });

  it("deletes fewer messages at once if more accounts have copies", async () => {
    await subscribe(db, room, ...(await crowd(db, reader, 198)));
    const ids = await pastMessages(db, room, reader, { count: 150, daysAgo: 3 });
    const events = await eventsWhile(() => remove());
    expect(deletions(events)).to.deep.equal([ids.slice(50), ids.slice(0, 50)]);
  });

  it("deletes fewer messages at once if they have more reactions, and a message with very many alone", async () => {
    const ids = await pastMessages(db, room, reader, { count: 6, daysAgo: 3 });
    const react = (id: number | undefined, count: number) =>
      db.rows(
        `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
         SELECT $1, n, 'car', '1f697', 'unicode_emoji' FROM generate_series(1, $2::int) AS n`,
        [id, count],
      );
    await react(ids[1], 15_000);
    await react(ids[2], 25_000);
    await react(ids[4], 5_000);
    const events = await eventsWhile(() => remove(3_600_000));
    expect(deletions(events)).to.deep.equal([ids.slice(3), [ids[2]], ids.slice(0, 2)]);
    expect(await left()).to.deep.equal([]);
    expect(
      await db.rows("SELECT FROM reactions WHERE message_id = ANY($1::bigint[])", [ids]),
    ).to.deep.equal([]);
  });

  it("keeps messages that are sent to the topic meanwhile", async () => {
    const ids = await pastMessages(db, room, reader, { count: 1_001, daysAgo: 3 });
    await blocker.lock("SELECT FROM messages WHERE id = $1 FOR UPDATE", [ids[0]]);
    const removing = remove();
    await blocker.untilWaiting(1, "the second batch waits for its message");
    const meanwhile = await send(scene.as(reader), toChannel(room.id, { topic: "lunch" }));
    await blocker.release();
    expect(await removing).to.equal(true);
    expect(await left()).to.deep.equal([meanwhile]);
    expect(await firstOf()).to.equal(meanwhile);
  });

  it("sends one event for each message if two requests delete the topic at once", async () => {
    const ids = await pastMessages(db, room, reader, { count: 1_500, daysAgo: 3 });
    const events = await eventsWhile(() => Promise.all([remove(), remove()]));
    expect(deletions(events).flat()).to.have.lengthOf(ids.length).and.to.have.members(ids);
  });

  it("checks the administrator's permission again before each batch", async () => {
    const ids = await pastMessages(db, room, reader, { count: 1_500, daysAgo: 3 });
    const admin = await user(db, scene.org.realm, { role: 200 });
    await subscribe(db, room, admin);
    const demoting: Database = {
      ...db,
      async transaction(work, options) {
        const result = await db.transaction(work, options);
        await db.rows("UPDATE users SET role = 400 WHERE id = $1", [admin.id]);
        return result;
      },
    };
    const topic = { channelId: room.id, topic: "lunch" };
    const refusal = await deleteTopic(demoting, await reload(db, admin), topic).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.include({ code: "UNAUTHORIZED_PRINCIPAL" });
    expect(await left()).to.deep.equal(ids.slice(0, 500));
  });

  it("deletes copies of accounts that were never subscribed", async () => {
    const [id = 0] = await pastMessages(db, room, reader);
    const stranger = await user(db, scene.org.realm);
    await db.rows("INSERT INTO user_messages VALUES ($1, $2, 131)", [stranger.id, id]);
    await remove();
    expect(await db.rows("SELECT FROM user_messages WHERE message_id = $1", [id])).to.deep.equal(
      [],
    );
    const [archived] = await db.rows<{ ids: number[] }>(
      "SELECT holder_ids AS ids FROM archived_messages WHERE id = $1",
      [id],
    );
    expect(archived?.ids).to.have.members([scene.org.owner.id, reader.id, stranger.id]);
  });

  it("waits for a message being sent that will be the channel's first", async () => {
    await pastMessages(db, room, reader, { count: 2, daysAgo: 3 });
    await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [room.realmId]);
    const sending = send(scene.as(reader), toChannel(room.id, { topic: "rain" }));
    await blocker.untilWaiting(1, "the message waits for its commit");
    const removing = remove();
    await blocker.untilWaiting(2, "the deletion waits for the message");
    await blocker.release();
    const [id] = await Promise.all([sending, removing]);
    expect(await left()).to.deep.equal([id]);
    expect(await firstOf()).to.equal(id);
  });

  it("is ordered before or after a concurrent unsubscription, consistently for all receivers", async () => {
    await pastMessages(db, room, reader, { daysAgo: 3 });
    await pastMessages(db, room, reader, { topic: "rain", daysAgo: 2 });
    const events = await eventsWhile(async () => {
      await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [room.realmId]);
      const removing = remove();
      await blocker.untilWaiting(1, "the deletion waits for its commit");
      const leaving = scene.as(reader).succeed(removeSubscriptions, {
        params: { subscriptions: [room.name] },
      });
      await blocker.untilWaiting(2, "the leaving waits for the deletion");
      await blocker.release();
      await Promise.all([removing, leaving]);
    });
    const kinds = events.map(({ type, op }) => `${type}/${op}`);
    expect(kinds.slice(0, 3)).to.deep.equal([
      "delete_message/null",
      "stream/update",
      "subscription/remove",
    ]);
    expect(events[0]?.audience).to.have.members([scene.org.owner.id, reader.id]);
  });
});
