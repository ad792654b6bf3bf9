import { deleteOldest, type DeletedRows, oldestRows, type Sql, statement } from "@carillon/db";

/** Reads `job_intent_done_idx`. */
const clear = statement({
  name: "clear-done-intents",
  text: oldestRows(
    "job_intent",
    "finished_at",
    "state = 'done' AND finished_at < now() - interval '1 day'",
  ),
});

/** Deletes one batch of intents that were done more than a day ago; their keys can be used again. Dead letters stay. */
export function clearDoneIntents(
  sql: Sql,
  size: number,
  before?: DeletedRows,
): Promise<DeletedRows> {
  return deleteOldest(sql, clear, size, before);
}
