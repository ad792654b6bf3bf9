import { markRead } from "@carillon/jobs";
import {
  announced,
  channel,
  eventsOf,
  organization,
  pastMessages,
  runJob,
  send,
  toChannel,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
  useBlocker,
} from "@carillon/testkit";
import { IntentBusy } from "@carillon/outbox";
import { expect } from "chai";

import { markAsRead, type MarkAsReadTarget } from "./mark-messages.ts";

// messages.md §7
describe("Marking more as read than one request does", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let room: TestChannel;
  let ids: number[];
  const count = 4_500;
  const batch = 2_000;

  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.owner, { subscribers: [org.member] });
    ids = await pastMessages(db, room, org.owner, { count });
  });

  const unread = async () =>
    (
      await db.rows<{ id: number }>(
        "SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 1 = 0 ORDER BY 1",
        [org.member.id],
      )
    ).map(({ id }) => id);
  const pending = () =>
    db.rows<{ intentId: number; version: number }>(
      `SELECT id AS "intentId", version FROM job_intent
       WHERE realm_id = $1 AND job = 'mark-read' AND state = 'pending'`,
      [org.realm.id],
    );
  async function work(): Promise<void> {
    for (let jobs = await pending(); jobs.length > 0; jobs = await pending())
      // A job may run twice.
      for (const job of [...jobs, ...jobs]) await runJob(db, markRead, job).catch(unlessBusy);
  }
  /** A worker repeats a job whose intent another one has held for two seconds. */
  const unlessBusy = (error: unknown) => {
    if (!(error instanceof IntentBusy)) throw error;
  };
  const markedDuring = async (asked: () => Promise<unknown>) => {
    const { result, events } = await eventsOf(db, org.realm.id, asked);
    const marked = announced(events).map(({ payload }) =>
      payload["all"] === true ? "all" : (payload["messages"] as number[]),
    );
    return { result, marked };
  };
  const named = (): Readonly<Record<string, MarkAsReadTarget>> => ({
    everything: {},
    "a channel": { channelId: room.id },
    "a topic": { channelId: room.id, topic: "LUNCH" },
  });

  for (const what of ["everything", "a channel", "a topic"]) {
    it(`marks ${what} in batches, with their events, and has a job do the rest`, async () => {
      const asked = await markedDuring(() => markAsRead(db, org.member, named()[what] ?? {}, 0));
      expect(asked).to.deep.equal({ result: false, marked: [ids.slice(0, batch)] });
      expect(await unread()).to.deep.equal(ids.slice(batch));
      const [later = 0] = await pastMessages(db, room, org.owner);
      expect((await markedDuring(work)).marked).to.deep.equal([ids.slice(batch)]);
      // Sent after the request.
      expect(await unread()).to.deep.equal([later]);
    });

    it(`marks ${what} once if the request is repeated while the job is running`, async () => {
      const ask = () => markAsRead(db, org.member, named()[what] ?? {}, 0);
      const { marked } = await markedDuring(async () => {
        expect(await ask()).to.equal(false);
        await Promise.all([ask(), ask(), work(), work()]);
        await work();
      });
      // The last request may find nothing unread and report "all" instead.
      const listed = marked.flat().filter((id) => id !== "all");
      expect(listed).to.have.length(new Set(listed).size);
      expect(ids).to.include.members(listed);
      if (!marked.includes("all")) expect(listed).to.have.members(ids);
      expect(await unread()).to.deep.equal([]);
    });
  }

  it("reports the last batch of everything as all if there is time", async () => {
    const { result, marked } = await markedDuring(() => markAsRead(db, org.member, {}, 3_600_000));
    expect(result).to.equal(true);
    expect(marked).to.deep.equal([ids.slice(0, batch), ids.slice(batch, 2 * batch), "all"]);
    expect(await pending()).to.deep.equal([]);
  });

  for (const [what, budgetMs] of [
    ["a later batch", 3_600_000],
    ["the job", 0],
  ] as const)
    it(`leaves messages unread in ${what} if they were committed after the request began, whatever their ids`, async () => {
      const head = "SELECT FROM event_head WHERE realm_id = $1 FOR NO KEY UPDATE";
      await blocker.lock(head, [org.realm.id]);
      // It has its id, and waits for the event-log lock.
      const sent = send(gateway.as(org.owner), toChannel(room.id));
      await blocker.untilWaiting(1, "the message is about to be committed");
      const [above = 0] = await pastMessages(db, room, org.owner);
      const asked = markAsRead(db, org.member, { channelId: room.id }, budgetMs);
      await blocker.untilWaiting(2, "the first batch is about to be committed");
      await blocker.release();
      const id = await sent;
      expect(id).to.be.below(above);
      await asked;
      await work();
      expect(await unread()).to.deep.equal([id]);
    });

  it("leaves another topic's messages unread, in the job as well", async () => {
    const others = await pastMessages(db, room, org.owner, { topic: "rain", count: 3 });
    const topic = { channelId: room.id, topic: "lunch" };
    await markAsRead(db, org.member, topic, 0);
    await work();
    expect(await unread()).to.deep.equal(others);
    await markAsRead(db, org.member, { channelId: room.id }, 0);
    expect(await unread()).to.deep.equal([]);
  });

  it("keeps committed batches and their events if a later batch fails, and holds no locks on them", async () => {
    const locked = ids[batch + 10] ?? 0;
    await blocker.lock("SELECT FROM user_messages WHERE message_id = $1 FOR UPDATE", [locked]);
    const { marked } = await markedDuring(async () => {
      const asked = markAsRead(db, org.member, {}, 3_600_000).catch((error: unknown) => error);
      await blocker.untilWaiting(1, "the second batch waits for a copy");
      // The rows of the first batch are not locked.
      await db.rows(
        "UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
        [org.member.id, ids.slice(0, batch)],
      );
      await db.rows(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(await asked).to.be.instanceOf(Error);
    });
    expect(marked).to.deep.equal([ids.slice(0, batch)]);
    expect(await unread()).to.deep.equal(ids.slice(batch));
    await blocker.release();
    expect(
      (await markedDuring(() => markAsRead(db, org.member, {}, 3_600_000))).marked,
    ).to.deep.equal([ids.slice(batch, 2 * batch), "all"]);
  });

  it("stops when the account is deactivated, and keeps the events already sent", async () => {
    const locked = ids[10] ?? 0;
    await blocker.lock("SELECT FROM user_messages WHERE message_id = $1 FOR UPDATE", [locked]);
    const { marked } = await markedDuring(async () => {
      const asked = markAsRead(db, org.member, {}, 3_600_000).catch((error: unknown) => error);
      await blocker.untilWaiting(1, "the first batch waits for a copy");
      await blocker.lock("UPDATE users SET is_active = false WHERE id = $1", [org.member.id]);
      await blocker.lock("COMMIT");
      expect(await asked).to.include({ code: "UNAUTHORIZED" });
    });
    expect(marked).to.deep.equal([ids.slice(0, batch)]);
    expect(await unread()).to.deep.equal(ids.slice(batch));
  });
});
