import { column, statement, type Tx } from "@carillon/db";

/** Days for which removed messages can be brought back (channels.md §11). */
export const archivedDays = 30;

/** Runs have their end, and messages are found by their run. A run's row goes with the last of its messages. */
const purge = statement({
  name: "archive-purge",
  text: `WITH run AS MATERIALIZED (
      SELECT id FROM message_removals WHERE ended_at < now() - interval '${archivedDays} days'
      ORDER BY ended_at LIMIT $1
    ), message AS MATERIALIZED (
      SELECT removal_id, id FROM archived_messages WHERE removal_id = ANY(ARRAY(SELECT id FROM run)) LIMIT $1
    ), purged AS (
      DELETE FROM archived_messages a USING message m WHERE a.removal_id = m.removal_id AND a.id = m.id
    ), ended AS (
      DELETE FROM message_removals r USING run WHERE r.id = run.id AND (SELECT count(*) FROM message) < $1
    )
    SELECT (SELECT count(*)::int FROM run) AS runs, (SELECT count(*)::int FROM message) AS messages`,
  row: { runs: column.int, messages: column.int },
});

/**
 * Deletes removed messages that can be brought back no longer, those that went first.
 * @param size how many runs and messages at most
 * @returns how many messages went, and whether there may be more
 */
export async function purgeArchive(
  tx: Tx,
  size: number,
): Promise<{ messages: number; more: boolean }> {
  const done = await tx.first(purge, [size]);
  if (!done) throw new Error("a statement without a row");
  return { messages: done.messages, more: done.messages === size || done.runs === size };
}
