import { deliverDue } from "@carillon/jobs";
import { startWorker, waitFor, type TestWorker } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, addDeliveryJobs } from "./support/load.ts";
import { slowMessages } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { allSent, expectSentOnce, verdict } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A delivery job", scenarioMs, {
  "added fifty times at once is one job with one effect": (backend) =>
    inWorld(backend, fiftyAtOnce),
  "run fifty times by two workers has one effect": (backend) => inWorld(backend, fiftyTimes),
  "run five minutes early sends nothing early": (backend) => inWorld(backend, tooEarly),
  "with one failing row in its batch fails only that row": (backend) => inWorld(backend, poisoned),
});

async function fiftyAtOnce({ db, queues }: World): Promise<void> {
  const people = await crowd(db);
  const deliveries = await schedule(db, people, { count: 10, dueIn: 6, seconds: 1 });
  await Promise.all(Array.from({ length: 50 }, () => addDeliveryJobs(queues, deliveries)));
  const { delayed, waiting } = await queues.queue("delivery").counts();
  expect(delayed + waiting, "jobs of one second").to.equal(1);
  const worker = await startWorker(db, queues);
  try {
    await allSent(db, people.realmId, waitTimeoutMs);
    await expectSentOnce(db, people.realmId, 10);
  } finally {
    await worker.close();
  }
}

/** Each job has its own id, so that the queue ignores none. */
async function fiftyTimes({ db, queues }: World): Promise<void> {
  const people = await crowd(db);
  await slowMessages(db, 1);
  await schedule(db, people, { count: 300, dueIn: 0, seconds: 1 });
  const second = Math.floor(Date.now() / 1_000);
  const deliveries = Array.from({ length: 50 }, (_, tick) => ({
    job: deliverDue,
    payload: { realmId: people.realmId, second: second - 1, tick },
  }));
  const workers = [await startWorker(db, queues), await startWorker(db, queues)];
  try {
    await queues.publish(deliveries);
    await allSent(db, people.realmId, waitTimeoutMs);
    await waitFor(() => completed(workers) >= deliveries.length, { what: "all have run" });
    await expectSentOnce(db, people.realmId, 300);
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** Adds the job as a process with a wrong clock would. */
async function tooEarly({ db, queues }: World): Promise<void> {
  const people = await crowd(db);
  await schedule(db, people, { count: 10, dueIn: 6, seconds: 1 });
  const [row] = await db.rows<{ second: number }>(
    "SELECT extract(epoch FROM min(deliver_at))::float8 AS second FROM scheduled_messages",
  );
  const worker = await startWorker(db, queues);
  try {
    await queues.publish([
      { job: deliverDue, payload: { realmId: people.realmId, second: row?.second ?? 0 } },
    ]);
    await waitFor(() => completed([worker]) > 0, { what: "the delivery job has run" });
    await allSent(db, people.realmId, waitTimeoutMs);
    await expectSentOnce(db, people.realmId, 10);
  } finally {
    await worker.close();
  }
}

async function poisoned({ db, queues }: World): Promise<void> {
  const people = await crowd(db);
  const deliveries = await schedule(db, people, { count: 50, dueIn: 2, seconds: 1 });
  const poison = deliveries[20]?.scheduledMessageId;
  await db.rows(
    `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.scheduled_message_id = ${poison} THEN RAISE 'poisoned'; END IF;
       RETURN NEW;
     END $$`,
  );
  await db.rows(
    "CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION poison()",
  );
  const worker = await startWorker(db, queues);
  try {
    await addDeliveryJobs(queues, deliveries);
    await allSent(db, people.realmId, waitTimeoutMs);
  } finally {
    await worker.close();
  }
  const { sent, failed, ...faults } = await verdict(db, people.realmId);
  expect({ sent, failed }).to.deep.equal({ sent: 49, failed: 1 });
  expect(Object.values(faults), JSON.stringify(faults)).to.deep.equal(
    Object.values(faults).map(() => 0),
  );
  const [row] = await db.rows<{ failed: boolean; reason: string; notices: number }>(
    `SELECT failed, failure_message AS reason, (SELECT count(*) FROM messages m
       JOIN user_messages c ON c.message_id = m.id AND c.user_id = s.sender_id
       WHERE m.sender_id = $2 AND m.scheduled_message_id IS NULL) AS notices
     FROM scheduled_messages s WHERE id = $1`,
    [poison, people.org.notificationBot.id],
  );
  expect(row).to.include({ failed: true, notices: 1 });
  expect(row?.reason, "the author is not shown the inside").not.to.match(/poison/i);
}

function completed(workers: readonly TestWorker[]): number {
  return workers.reduce((sum, { runner }) => sum + runner.counters().completed, 0);
}
