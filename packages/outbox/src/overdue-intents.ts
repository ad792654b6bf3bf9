import { column, type RowOf, type Sql, statement } from "@carillon/db";
import type { IntentRef } from "@carillon/jobs";

import { queuedColumns, queuedRow } from "./queued-intent.ts";

const overdue = statement({
  name: "overdue-intents",
  text: `SELECT ${queuedColumns}, extract(epoch FROM now() - greatest(enqueued_at, run_at))::float8 * 1000 AS "quietMs"
    FROM job_intent
    WHERE state = 'pending' AND enqueued_at IS NOT NULL AND job = ANY($3::text[])
      AND greatest(enqueued_at, run_at) <= now() - make_interval(secs => $1 / 1000.0)
    ORDER BY greatest(enqueued_at, run_at) LIMIT $2`,
  row: {
    ...queuedRow,
    /** Milliseconds since its job was last known to be in the queue, or should have run. */
    quietMs: column.float,
  },
});

/** An intent whose job was put into the queue, or failed once more, a while ago. */
export type OverdueIntent = RowOf<typeof overdue.columns>;

/**
 * Pending intents that should have run and of whose jobs nothing was heard for longer than `overdueMs`, those first of
 * which nothing was heard for longest. Whether their jobs are lost, the queue knows.
 */
export function overdueIntents(
  sql: Sql,
  limits: { jobs: readonly string[]; overdueMs: number; limit: number },
): Promise<OverdueIntent[]> {
  return sql.rows(overdue, [limits.overdueMs, limits.limit, limits.jobs]);
}

const pendingOf = statement({
  name: "intents-still-pending",
  text: `SELECT i.id FROM job_intent i JOIN unnest($1::bigint[], $2::int[]) AS q (id, version) USING (id, version)
    WHERE i.state = 'pending'`,
  row: { id: column.bigint },
});

/** The ids of those intents that are still pending as this version. */
export async function stillPending(
  sql: Sql,
  intents: readonly IntentRef[],
): Promise<ReadonlySet<number>> {
  const rows = await sql.rows(pendingOf, [
    intents.map(({ intentId }) => intentId),
    intents.map(({ version }) => version),
  ]);
  return new Set(rows.map(({ id }) => id));
}
