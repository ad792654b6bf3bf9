import { deactivateUser } from "@carillon/contract";
import { unqueuedIntents } from "@carillon/outbox";
import type { Database } from "@carillon/db";
import { deleteMessages, deleteMessagesStep, type DeletionStepRef } from "@carillon/jobs";
import {
  bot,
  channel,
  childrenOf,
  countQueries,
  deleteRecorded,
  eventsOf,
  killedAfter,
  pastMessages,
  runJob,
  send,
  toUsers,
  useScene,
  user,
  type LoggedEvent,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

// users.md §4
describe("the deletion of a deactivated account's messages", () => {
  const scene = useScene();
  const { db } = scene;
  let target: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    target = await user(db, scene.org.realm);
    room = await channel(db, scene.org.realm, { subscribers: [target, scene.org.member] });
  });

  const everything = {
    delete_public_channel_messages: true,
    delete_private_channel_messages: true,
    delete_direct_messages: true,
  };
  const deactivate = () =>
    scene.as(scene.org.owner).succeed(deactivateUser, {
      path: { user_id: target.id },
      params: { actions: everything },
    });
  const intent = async () => {
    const limits = { jobs: [deleteMessages.name], olderThanMs: 0, limit: 1 };
    const [found] = await unqueuedIntents(db, limits);
    if (!found) throw new Error("nothing is recorded");
    return { intentId: found.intentId, version: found.version };
  };
  type Ref = Awaited<ReturnType<typeof intent>>;
  const plan = async (ref: Ref, own: Database = db) => {
    const children = await childrenOf(runJob(own, deleteMessages, ref));
    return children.map(({ payload }) => payload as DeletionStepRef);
  };
  const step = (ref: DeletionStepRef, own: Database = db, attempt = 1) =>
    runJob(own, deleteMessagesStep, ref, { attempt });
  const left = async () =>
    (await db.rows<{ id: number }>("SELECT id FROM messages WHERE sender_id = $1", [target.id]))
      .length;
  const received = (events: readonly LoggedEvent[]) =>
    events.flatMap(({ type, payload }) =>
      type === "delete_message" ? (payload["message_ids"] as number[]) : [],
    );
  const rows = ({ deletionId }: DeletionStepRef) =>
    db.prisma.messageDeletionStep.findMany({
      where: { jobId: deletionId },
      orderBy: { step: "asc" },
    });
  const state = async ({ intentId }: Ref) =>
    (await db.prisma.jobIntent.findUniqueOrThrow({ where: { id: intentId } })).state;
  /** Deletions fail from now on. @returns what mends that */
  const broken = async () => {
    await db.rows(`CREATE FUNCTION out_of_order() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'out of order'; END $$`);
    await db.rows(
      "CREATE TRIGGER out_of_order BEFORE DELETE ON messages FOR EACH STATEMENT EXECUTE FUNCTION out_of_order()",
    );
    return () => db.rows("DROP FUNCTION out_of_order CASCADE");
  };
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it("makes a step for 2000 messages of a channel, and one for a hundred conversations, alternating between them", async () => {
    await pastMessages(db, room, target, { count: 2_001, holders: [target] });
    const people = [];
    for (let i = 0; i < 3; i++) people.push(await user(db, scene.org.realm));
    for (const { id } of people) await send(scene.as(target), toUsers([id]));
    await db.rows(
      `WITH r AS (
         INSERT INTO recipients (realm_id, member_ids, member_hash)
         SELECT $1, ARRAY[$2::int], sha256(n::text::bytea) FROM generate_series(1, 100) AS n RETURNING id)
       INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, $2, r.id, false, '', 'x', 'x', 1, 1 FROM r`,
      [scene.org.realm.id, target.id],
    );
    const [{ id } = { id: 0 }] = people;
    await db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, $2, r.id, false, '', 'x', 'x', 1, 1 FROM recipients r, generate_series(1, 2000)
       WHERE r.realm_id = $1 AND r.member_ids @> ARRAY[$2::int, $3::int]`,
      [scene.org.realm.id, target.id, id],
    );
    await deactivate();
    const [first] = await plan(await intent());
    if (!first) throw new Error("nothing to do");
    const steps = await rows(first);
    expect(
      steps.map(({ channelId, recipientIds, planned }) => ({
        channel: channelId !== null,
        conversations: recipientIds.length,
        planned,
      })),
    ).to.deep.equal([
      { channel: true, conversations: 1, planned: 2_000 },
      { channel: false, conversations: 1, planned: 2_000 },
      { channel: true, conversations: 1, planned: 1 },
      { channel: false, conversations: 1, planned: 1 },
      { channel: false, conversations: 100, planned: 100 },
      { channel: false, conversations: 2, planned: 2 },
    ]);
    for (const one of steps) await step({ ...first, step: one.step });
    for (const { planned, deleted } of await rows(first)) expect(deleted).to.equal(planned);
    await deleteRecorded(db);
    expect(await left()).to.equal(0);
  });

  it("continues at the cursor after a kill, and deletes and reports each message once", async () => {
    const ids = await pastMessages(db, room, target, { count: 250, holders: [scene.org.member] });
    ids.push(await send(scene.as(target), toUsers([scene.org.member.id])));
    const { events } = await eventsOf(db, scene.org.realm.id, async () => {
      await deactivate();
      const ref = await intent();
      // A job that was killed is found by its queue, and runs again.
      const jobs: DeletionStepRef[] = [];
      const goOn = async (own: Database) => {
        for (;;) {
          for (let [job] = jobs; job; [job] = jobs) {
            await step(job, own);
            jobs.shift();
          }
          jobs.push(...(await plan(ref, own)));
          if (jobs.length === 0) return;
        }
      };
      for (let kills = 0, killed = true; killed; kills += 3)
        killed = await killedAfter(db, kills, goOn);
      expect(await state(ref)).to.equal("done");
    });
    expect(await left()).to.equal(0);
    expect(received(events)).to.deep.equal(ids);
    const copies = await db.rows("SELECT FROM user_messages WHERE message_id = ANY($1)", [ids]);
    expect(copies).to.deep.equal([]);
    const archived = await db.prisma.archivedMessage.count({ where: { senderId: target.id } });
    expect(archived).to.equal(ids.length);
  });

  it("deletes each message once when its jobs run several times concurrently", async () => {
    const ids = await pastMessages(db, room, target, { count: 250, holders: [scene.org.member] });
    const { events } = await eventsOf(db, scene.org.realm.id, async () => {
      await deactivate();
      const ref = await intent();
      const planned = await Promise.all([plan(ref), plan(ref), plan(ref)]);
      await Promise.all(planned.flat().map((one) => step(one)));
      await Promise.all([plan(ref), plan(ref)]);
      expect(await state(ref)).to.equal("done");
    });
    expect(received(events)).to.deep.equal(ids);
  });

  it("becomes a dead letter when a step has failed its last attempt and the others are done; a replay continues", async () => {
    const ids = await pastMessages(db, room, target, { count: 150, holders: [scene.org.member] });
    const direct = await send(scene.as(target), toUsers([scene.org.member.id]));
    await deactivate();
    const ref = await intent();
    const [inRoom, inPrivate] = await plan(ref);
    if (!inRoom || !inPrivate) throw new Error("two steps are expected");
    const mend = await broken();
    const { attempts } = deleteMessagesStep.retry;
    expect(await failure(step(inRoom))).to.match(/out of order/);
    expect(await failure(step(inRoom, db, attempts))).to.match(/out of order/);
    await mend();
    await step(inPrivate);
    const [failed, done] = await rows(inRoom);
    expect(failed).to.deep.include({ attempts: 2, lastError: "out of order", finishedAt: null });
    expect(failed?.failedAt).to.be.instanceOf(Date);
    expect(done?.finishedAt).to.be.instanceOf(Date);
    expect(await failure(plan(ref))).to.match(/^GiveUp: 1 steps .* out of order$/);
    expect(await state(ref)).to.equal("dead");

    // As an operator's retry leaves it.
    await db.rows(
      "UPDATE job_intent SET state = 'pending', version = version + 1, enqueued_at = NULL WHERE id = $1",
      [ref.intentId],
    );
    const { events } = await eventsOf(db, scene.org.realm.id, () => deleteRecorded(db));
    expect(await left()).to.equal(0);
    expect(received(events)).to.deep.equal(ids);
    expect(ids).not.to.include(direct);
    expect(await state(ref)).to.equal("done");
  });

  it("becomes a dead letter when the jobs of a step end repeatedly without updating it", async () => {
    await pastMessages(db, room, target);
    await deactivate();
    const ref = await intent();
    for (let i = 0; i < 10; i++) expect(await plan(ref)).to.have.length(1);
    expect(await failure(plan(ref))).to.match(/^GiveUp: 1 steps failed/);
  });

  it("runs the same number of statements for a batch of many topics, readers and copies as for one message", async () => {
    const asked = async (topics: number, readers: number) => {
      target = await user(db, scene.org.realm);
      const subscribers = [target, scene.org.member];
      for (let i = 0; i < readers; i++) subscribers.push(await user(db, scene.org.realm));
      const place = await channel(db, scene.org.realm, { subscribers, inviteOnly: true });
      await pastMessages(db, place, scene.org.member);
      for (let i = 0; i < topics; i++)
        await pastMessages(db, place, target, { count: 3, topic: `topic ${i}` });
      await deactivate();
      const [only] = await plan(await intent());
      if (!only) throw new Error("nothing to do");
      const { statements } = await countQueries(db, () => step(only));
      await deleteRecorded(db);
      return statements;
    };
    const few = await asked(1, 0);
    expect(await asked(12, 6)).to.deep.equal(few);
  });

  it("limits the reactions that one transaction deletes", async () => {
    const ids = await pastMessages(db, room, target, { count: 3, holders: [scene.org.member] });
    await db.rows(
      `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
       SELECT m.id, n, 'unicode_emoji', '1f697', 'car'
       FROM unnest($1::bigint[], ARRAY[6000, 15000, 5000]) AS m (id, count), generate_series(1, m.count) AS n`,
      [ids],
    );
    const { events } = await eventsOf(db, scene.org.realm.id, async () => {
      await deactivate();
      await deleteRecorded(db);
    });
    const deletions = events.filter(({ type }) => type === "delete_message");
    expect(deletions.map(({ payload }) => payload["message_ids"])).to.deep.equal([
      ids.slice(0, 1),
      ids.slice(1),
    ]);
  });

  it("does nothing for a bot without messages", async () => {
    target = await user(db, scene.org.realm);
    await bot(db, target);
    await deactivate();
    expect(await deleteRecorded(db)).to.equal(2);
    const jobs = await db.prisma.messageDeletionJob.findMany({
      orderBy: { id: "desc" },
      take: 2,
      include: { steps: true },
    });
    for (const { finishedAt, steps } of jobs) {
      expect(finishedAt).to.be.instanceOf(Date);
      expect(steps).to.deep.equal([]);
    }
  });
});
