import { type Sql, statement } from "@carillon/db";
import type { IntentRef } from "@carillon/jobs";

const stamp = statement({
  name: "intents-stamp",
  text: `WITH free AS (
      SELECT i.id FROM unnest($1::bigint[], $2::int[]) AS q (id, version)
      JOIN job_intent i ON i.id = q.id AND i.version = q.version
      WHERE i.state = 'pending' FOR NO KEY UPDATE OF i SKIP LOCKED)
    UPDATE job_intent i SET enqueued_at = now() FROM free WHERE i.id = free.id`,
  row: {},
});

/**
 * Notes that their jobs are in the queue. It waits for nobody: a row in other hands is being worked on, or stamped by
 * somebody who may have taken several of them in another order.
 */
export async function stampIntents(sql: Sql, intents: readonly IntentRef[]): Promise<void> {
  if (intents.length === 0) return;
  await sql.rows(stamp, [
    intents.map(({ intentId }) => intentId),
    intents.map(({ version }) => version),
  ]);
}
