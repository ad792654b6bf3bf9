import { column, type RowOf, type Sql, statement } from "@carillon/db";
import { clearIntents } from "@carillon/jobs";

const row = { count: column.int, last: column.text.orNull() };

/**
 * The oldest of what `job_intent_done_idx` has, from `$1` on: what has just been deleted is in the index until it is
 * vacuumed, and must not be gone through again by every batch. They are deleted by an array: a join would read the whole
 * table where that looks cheap.
 */
const clear = statement({
  name: "clear-done-intents",
  text: `WITH old AS (
      SELECT id, finished_at FROM job_intent
      WHERE state = 'done' AND finished_at < now() - interval '1 day' AND finished_at >= $1::timestamptz
      ORDER BY finished_at LIMIT ${clearIntents.bound.batch} FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM job_intent WHERE id = ANY (ARRAY(SELECT id FROM old))
    )
    SELECT count(*)::int AS count, max(finished_at)::text AS last FROM old`,
  row,
});

/** What a batch has come to; the next one goes on from there. */
export type ClearedIntents = RowOf<typeof row>;

/**
 * Deletes one batch of the intents that were done more than a day ago; their keys are free again. Dead letters stay.
 * @param before the batch before this one; without it, it begins with the oldest
 */
export async function clearDoneIntents(sql: Sql, before?: ClearedIntents): Promise<ClearedIntents> {
  const [cleared] = await sql.rows(clear, [before?.last ?? "-infinity"]);
  return cleared ?? { count: 0, last: null };
}
