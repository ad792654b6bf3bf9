import { metricsOf } from "@carillon/kit";
import {
  createTestQueues,
  expositionFaults,
  installation,
  metricNames,
  organization,
  reservePort,
  useDatabase,
  useProcesses,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a worker process", () => {
  const db = useDatabase();
  const processes = useProcesses();

  it("runs its recurring work: deletes old events and finished intents, promotes full members, and sends heartbeats", async function () {
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
    await db.rows(
      `INSERT INTO job_intent (job, unique_key, payload, state, finished_at)
       VALUES ('x', 'x', '{}', 'done', now() - interval '2 days')`,
    );
    const queues = await createTestQueues("postgres", db.url);
    try {
      const port = await reservePort();
      const worker = processes.start("worker", {
        ...installation(db.url),
        METRICS_PORT: String(port),
      });
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
      const finished = () => db.rows("SELECT FROM job_intent");
      await waitFor(async () => (await finished()).length === 0, { what: "the work is cleared" });
      const seen = () => db.rows("SELECT role FROM process_heartbeats");
      await waitFor(async () => (await seen()).length === 1, { what: "the worker is seen" });
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      const text = await metrics.text();
      expect(expositionFaults(text)).to.deep.equal([]);
      expect(metricNames(text)).to.include.members(metricsOf("worker"));
      await worker.stop();
      expect(await seen()).to.deep.equal([]);
    } finally {
      await queues.drop();
    }
  });
});
