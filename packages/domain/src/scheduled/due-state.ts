import { statement, type RowOf, type Sql } from "@carillon/db";
import { mayShareBatch, needsSingleTry } from "@carillon/scheduling";

import { dueOrder, isDue } from "./due-rows-sql.ts";

/**
 * The due messages of an organization.
 * - `now`: the database's clock, UNIX seconds with a fraction.
 * - `attempts`: counted tries of the first due row; null if no row is due that may share a batch.
 * - `isTried`: whether the lease of a counted try of that row has not ended.
 * - `single`: whether a row is due that must be tried singly.
 */
export type DueState = RowOf<typeof dueState>;

const dueState = statement({
  name: "deliver-look",
  text: `SELECT extract(epoch FROM now())::float8 AS now, head.attempts::int,
      coalesce(head.retry_at > now(), false) AS "isTried",
      active.is_active AND (
        SELECT s.id FROM scheduled_messages s WHERE ${isDue} AND ${needsSingleTry("s")} LIMIT 1) IS NOT NULL AS single
    FROM (SELECT EXISTS (SELECT FROM realms WHERE id = $1 AND NOT deactivated AND read_only_since IS NULL) AS is_active) active
    LEFT JOIN LATERAL (
      SELECT s.attempts, s.retry_at FROM scheduled_messages s WHERE ${isDue} AND ${mayShareBatch("s")} ${dueOrder} LIMIT 1
    ) head ON active.is_active`,
});

/**
 * Reads whether messages are due. None are due in a deactivated or read-only organization: its messages wait (users.md §5.2).
 *
 * Searches in the order of the claim: EXISTS would walk the index over the backlogs of all organizations.
 */
export async function loadDueState(sql: Sql, realmId: number): Promise<DueState> {
  const [state] = await sql.rows(dueState, [realmId]);
  return state!;
}
