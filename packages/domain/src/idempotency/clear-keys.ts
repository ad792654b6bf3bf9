import { type RowOf, type Sql, statement } from "@carillon/db";

/**
 * Reads the index on the time from `$1` on: the index keeps the entries of deleted rows until VACUUM removes them, and
 * later batches must not read them again. Skips rows that a request is replacing.
 */
const clear = statement({
  name: "idempotency-keys-clear",
  text: `WITH old AS (
      SELECT id, created_at FROM idempotency_keys
      WHERE created_at <= now() - interval '24 hours' AND created_at >= $1::timestamptz
      ORDER BY created_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM idempotency_keys WHERE id = ANY (ARRAY(SELECT id FROM old))
    )
    SELECT count(*)::int AS count, max(created_at)::text AS last FROM old`,
});

/** What one batch deleted; the next one continues at `last`. */
export type ClearedKeys = RowOf<typeof clear>;

/**
 * Deletes one batch of the answers that are 24 hours old, the oldest first (once-and-again.md §1).
 * @param size maximum number of rows
 * @param before the previous batch; without it, begins with the oldest answer
 */
export async function clearExpiredKeys(
  sql: Sql,
  size: number,
  before?: ClearedKeys,
): Promise<ClearedKeys> {
  const [cleared] = await sql.rows(clear, [before?.last ?? "-infinity", size]);
  return cleared ?? { count: 0, last: null };
}
