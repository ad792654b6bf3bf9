import { statement, type Tx } from "@carillon/db";

/**
 * Upper bounds of buckets, in seconds, of how late messages were sent; later ones have their own bucket. Counts of
 * buckets can be summed over steps, workers and backends, which percentiles cannot (docs/decisions/037). Rows store only
 * the counts: whoever changes the bounds must change the steps too, so that counts of old and new bounds are not added.
 */
export const historyBuckets = [
  0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 35, 60, 120, 300, 600,
] as const;

/** The steps of the history, in seconds, and for how long each is kept, in hours. */
export const historySteps = {
  fine: { seconds: 300, keptHours: 25 },
  coarse: { seconds: 3_600, keptHours: 31 * 24 },
} as const;

const record = statement({
  name: "delivery-batch-record",
  text: "INSERT INTO delivery_batches (backend, due_at, failed) VALUES ($1, $2::float8[], $3)",
});

/** The result of one delivery batch. */
export interface DeliveredBatch {
  /** The store of the queue that had its job: `postgres` or `redis`. */
  readonly backend: string;
  /** Due times of the messages that were sent, UNIX seconds. */
  readonly dueAt: readonly number[];
  readonly failed: number;
}

/** Records the batch with the commit, as a separate row: batches do not wait for each other. */
export function recordBatch(tx: Tx, { backend, dueAt, failed }: DeliveredBatch): void {
  if (dueAt.length > 0 || failed > 0) tx.sendWithCommit(record, [backend, dueAt, failed]);
}

const { fine, coarse } = historySteps;

const fold = statement({
  name: "delivery-batches-fold",
  text: `WITH taken AS (
      DELETE FROM delivery_batches WHERE id = ANY(ARRAY(
        SELECT id FROM delivery_batches ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)) RETURNING *
    ), parts AS (
      SELECT t.*, s.step, date_bin(make_interval(secs => s.step), t.ended_at, timestamptz 'epoch') AS at
      FROM taken t, (VALUES (${fine.seconds}), (${coarse.seconds})) AS s (step)
    ), sums AS (
      SELECT step, at, backend, sum(cardinality(due_at))::int AS sent, sum(failed)::int AS failed
      FROM parts GROUP BY step, at, backend
    ), late AS (
      SELECT step, at, backend, greatest(0, extract(epoch FROM ended_at)::float8 - due) AS seconds
      FROM parts, unnest(due_at) AS due
    ), counted AS (
      SELECT step, at, backend, width_bucket(seconds, ARRAY[${historyBuckets.join(", ")}]::float8[]) AS bucket,
        count(*)::int AS count, max(seconds) AS worst
      FROM late GROUP BY step, at, backend, bucket
    ), stored AS (
      INSERT INTO delivery_history AS h (step, at, backend, sent, failed, worst, buckets)
      SELECT s.step, s.at, s.backend, s.sent, s.failed, coalesce(max(c.worst), 0), ARRAY(
          SELECT coalesce(max(n.count), 0) FROM generate_series(0, ${historyBuckets.length}) AS place
            LEFT JOIN counted n ON (n.step, n.at, n.backend, n.bucket) = (s.step, s.at, s.backend, place)
          GROUP BY place ORDER BY place)
      FROM sums s LEFT JOIN counted c ON (c.step, c.at, c.backend) = (s.step, s.at, s.backend)
      GROUP BY s.step, s.at, s.backend, s.sent, s.failed
      ORDER BY s.step, s.at, s.backend
      ON CONFLICT (step, at, backend) DO UPDATE SET sent = h.sent + excluded.sent, failed = h.failed + excluded.failed,
        worst = greatest(h.worst, excluded.worst),
        buckets = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
          FROM unnest(h.buckets, excluded.buckets) WITH ORDINALITY AS u (a, b, place) ORDER BY place)
    )
    SELECT count(*)::int AS count FROM taken`,
});

/**
 * Adds the oldest batches to the history and deletes their rows.
 * @returns how many, at most `limit`
 */
export async function foldBatches(tx: Tx, limit: number): Promise<number> {
  const folded = await tx.first(fold, [limit]);
  return folded?.count ?? 0;
}

const clear = statement({
  name: "delivery-history-clear",
  text: `DELETE FROM delivery_history
    WHERE (step = ${fine.seconds} AND at < now() - interval '${fine.keptHours} hours')
      OR (step = ${coarse.seconds} AND at < now() - interval '${coarse.keptHours} hours')`,
});

/** Deletes steps that are older than the history keeps. */
export async function clearHistory(tx: Tx): Promise<void> {
  await tx.rows(clear);
}
