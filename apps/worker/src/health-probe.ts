import { DatabaseClient, statement, notNull, type Database, type RowOf } from "@carillon/db";
import { pending } from "@carillon/scheduling";
import type { QueueName } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";

import type { HealthReading, QueueReading } from "./health-monitor.ts";

/** Messages are overdue by this much only if no worker delivers them. */
const overdue = "30 seconds";

/** Sums the runs of all workers at their last heartbeats. The count of a dead worker disappears with its heartbeat. */
const runsOfWorkers = statement({
  name: "health-runs",
  text: `SELECT coalesce(sum((counters->>'completed')::bigint + (counters->>'failed')::bigint), 0)::float8 AS runs
    FROM process_heartbeats WHERE role = 'worker'`,
});

const anyDue = statement({
  name: "health-due",
  text: `SELECT EXISTS (SELECT FROM realms r CROSS JOIN LATERAL (
      SELECT FROM scheduled_messages s
      WHERE s.realm_id = r.id AND ${pending("s")} AND s.deliver_at < now() - interval '${overdue}'
      LIMIT 1) stuck WHERE NOT r.deactivated) AS due`,
  overrides: { due: notNull },
});

const nothing = statement({ name: "health-pool", text: "SELECT" });

/**
 * Reads due work over its own connection, so that a broken pool cannot hide it, and sends one statement over the worker's
 * pool, so that a broken pool fails the check.
 */
export function healthProbe(parts: {
  databaseUrl: string;
  db: Database;
  queues: Pick<Queues, "queue">;
  /** How many runs this worker has begun, by queue. */
  begun: () => ReadonlyMap<QueueName, number>;
  /** The reasons why the store refuses jobs to this worker, by queue. */
  refusals?: () => ReadonlyMap<QueueName, string>;
}): (signal: AbortSignal) => Promise<HealthReading> {
  return async (signal) => {
    const [{ due, runs }, queues] = await Promise.all([
      readDatabase(parts.databaseUrl, signal),
      readQueues(parts.queues, parts.begun(), parts.refusals?.()),
      parts.db.rows(nothing),
    ]);
    const own = queues.reduce((sum, { begun }) => sum + begun, 0);
    return { dueWork: due, runsAnywhere: runs + own, queues };
  };
}

async function readDatabase(
  databaseUrl: string,
  signal: AbortSignal,
): Promise<{ due: boolean; runs: number }> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
    application_name: "carillon worker health",
  });
  client.on("error", () => {});
  const end = () => void client.end().catch(() => {});
  signal.addEventListener("abort", end);
  try {
    await client.connect();
    const due = await client.query<RowOf<typeof anyDue>>(anyDue.text);
    const runs = await client.query<RowOf<typeof runsOfWorkers>>(runsOfWorkers.text);
    return { due: due.rows[0]!.due, runs: runs.rows[0]!.runs };
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** Counts no waiting jobs if the store does not answer or the queue is paused: this worker could take none. */
function readQueues(
  queues: Pick<Queues, "queue">,
  begun: ReadonlyMap<QueueName, number>,
  refusals?: ReadonlyMap<QueueName, string>,
): Promise<QueueReading[]> {
  return Promise.all(
    [...begun].map(async ([name, runs]) => {
      const waiting = await waitingIn(queues.queue(name)).catch(() => 0);
      return { name, waiting, begun: runs, refusal: refusals?.get(name) };
    }),
  );
}

async function waitingIn(queue: ReturnType<Queues["queue"]>): Promise<number> {
  const [{ waiting }, pausedForMs] = await Promise.all([queue.counts(), queue.pausedForMs()]);
  return pausedForMs > 0 ? 0 : waiting;
}
