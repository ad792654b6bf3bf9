import {
  createTestQueues,
  installation,
  organization,
  useDatabase,
  useProcesses,
  waitFor,
} from "@carillon/testkit";

describe("a worker process", () => {
  const db = useDatabase();
  const processes = useProcesses();

  it("clears away old events and makes full members", async function () {
    this.timeout(90_000);
    const { realm, member, groups } = await organization(db, {
      row: { waitingPeriodThreshold: 2 },
    });
    await db.rows("UPDATE users SET date_joined = now() - interval '2 days' WHERE id = $1", [
      member.id,
    ]);
    await db.rows(
      `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout, last_seen)
       VALUES (gen_random_uuid(), $1, $2, 0, '{}', 600, now() - interval '1 day')`,
      [realm.id, member.id],
    );
    const queues = await createTestQueues("postgres", db.url);
    try {
      const worker = processes.start("worker", installation(db.url));
      await worker.waitForLine("worker started", 60_000);
      const deadQueues = () => db.rows("SELECT FROM event_queue WHERE user_id = $1", [member.id]);
      await waitFor(async () => (await deadQueues()).length === 0, {
        what: "the queue is cleared",
      });
      const full = () =>
        db.rows("SELECT FROM user_group_member WHERE group_id = $1 AND user_id = $2", [
          groups["role:fullmembers"],
          member.id,
        ]);
      await waitFor(async () => (await full()).length === 1, { what: "the member is a full one" });
      await worker.stop();
    } finally {
      await queues.drop();
    }
  });
});
