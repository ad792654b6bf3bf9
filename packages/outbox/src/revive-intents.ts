import { statement, type Tx } from "@carillon/db";
import type { IntentDefinition } from "@carillon/jobs";

import { intentsRecorded, queuedColumns, queuedRow } from "./queued-intent.ts";

const revive = statement({
  name: "intents-revive",
  text: `WITH dead AS (
      SELECT id FROM job_intent WHERE unique_key = ANY($1::text[]) AND state = 'dead' FOR NO KEY UPDATE SKIP LOCKED
    ), revived AS (
      UPDATE job_intent i SET state = 'pending', version = i.version + 1, attempts = 0, run_at = now(),
        enqueued_at = NULL, finished_at = NULL
      FROM dead WHERE i.id = dead.id RETURNING i.*)
    SELECT ${queuedColumns} FROM revived`,
  row: queuedRow,
});

/**
 * Makes those of the intents pending again that are dead letters, as an operator does: somebody wants their work anew. What
 * somebody else has in hand is being replayed, or worked on.
 */
export async function reviveIntents(
  tx: Tx,
  { name }: IntentDefinition,
  keys: readonly string[],
): Promise<void> {
  const revived = await tx.rows(revive, [keys.map((key) => `${name}/${key}`)]);
  if (revived.length > 0) tx.publishAfterCommit(intentsRecorded, revived);
}
