import { type RowOf, type Sql, statement } from "@carillon/db";
import { clearIntents } from "@carillon/jobs";

/**
 * Reads `job_intent_done_idx` from `$1` on: entries that have just been deleted stay in the index until it is vacuumed,
 * and no batch may scan them again. Deletes by an array, because a join may scan the whole table.
 */
const clear = statement({
  name: "clear-done-intents",
  text: `WITH old AS (
      SELECT id, finished_at FROM job_intent
      WHERE state = 'done' AND finished_at < now() - interval '1 day' AND finished_at >= $1::timestamptz
      ORDER BY finished_at LIMIT ${clearIntents.bound.batch} FOR NO KEY UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM job_intent WHERE id = ANY (ARRAY(SELECT id FROM old))
    )
    SELECT count(*)::int AS count, max(finished_at)::text AS last FROM old`,
});

/** What one batch deleted; the next one continues after `last`. */
export type ClearedIntents = RowOf<typeof clear>;

/**
 * Deletes one batch of intents that were done more than a day ago; their keys can be used again. Dead letters stay.
 * @param before the batch before this one; the oldest intents unless given
 */
export async function clearDoneIntents(sql: Sql, before?: ClearedIntents): Promise<ClearedIntents> {
  const [cleared] = await sql.rows(clear, [before?.last ?? "-infinity"]);
  return cleared ?? { count: 0, last: null };
}
