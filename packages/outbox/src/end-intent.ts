import { type Sql, statement, type Tx } from "@carillon/db";
import type { IntentRef } from "@carillon/jobs";

import { storedReason } from "./stored-reason.ts";

const finish = statement({
  name: "intent-finish",
  text: `UPDATE job_intent SET state = 'done', finished_at = now(), attempts = attempts + 1, last_error = NULL
    WHERE id = $1`,
  row: {},
});

/** Notes that the work is done. */
export async function finishIntent(tx: Tx, intentId: number): Promise<void> {
  await tx.rows(finish, [intentId]);
}

const fail = statement({
  name: "intent-fail",
  text: `UPDATE job_intent SET attempts = attempts + 1, last_error = $3,
      state = CASE WHEN $4 THEN 'dead' ELSE state END,
      enqueued_at = CASE WHEN $4 THEN enqueued_at ELSE now() END,
      finished_at = CASE WHEN $4 THEN now() ELSE finished_at END
    WHERE id = $1 AND version = $2 AND state = 'pending'`,
  row: {},
});

/**
 * Writes a failure into the row; `dead` ends it until an operator replays it. Else its job goes back to the queue, and
 * has been heard of.
 */
export async function failIntent(
  sql: Sql,
  { intentId, version }: IntentRef,
  failure: { reason: string; dead: boolean },
): Promise<void> {
  await sql.rows(fail, [intentId, version, storedReason(failure.reason), failure.dead]);
}
