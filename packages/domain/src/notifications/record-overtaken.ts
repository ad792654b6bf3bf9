import type { PlannedPush } from "@carillon/jobs";
import { flag } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

import { recordPushRemovals } from "./record-removals.ts";

const overtaken = statement({
  name: "pushes-overtaken",
  text: `SELECT w.user_id AS "userId", json_agg(w.message_id ORDER BY w.message_id) AS ids
    FROM unnest($1::int[], $2::bigint[]) AS w (user_id, message_id)
    WHERE NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = w.user_id AND um.message_id = w.message_id
      AND um.flags & ${flag.activeMobilePush} <> 0 OFFSET 0)
    GROUP BY w.user_id`,
  row: { userId: column.int, ids: column.json<readonly number[]>() },
});

/**
 * Writes down that what was read, or went, while it was pushed is to go off the devices again: its own removal may have
 * come there first.
 */
export async function recordOvertaken(
  tx: Tx,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<void> {
  if (pushes.length === 0) return;
  const gone = await tx.rows(overtaken, [
    pushes.map(({ userId }) => userId),
    pushes.map(({ messageId }) => messageId),
  ]);
  await recordPushRemovals(tx, realmId, gone);
}
