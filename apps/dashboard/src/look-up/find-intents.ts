import type { Sql } from "@carillon/db";

/** A row of background work. Times are UNIX seconds. */
export interface IntentView {
  readonly id: number;
  readonly uniqueKey: string;
  readonly job: string;
  readonly realmId: number | null;
  readonly state: "pending" | "done" | "dead";
  readonly version: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly runAt: number;
  readonly enqueuedAt: number | null;
  readonly finishedAt: number | null;
  /** The database's clock. */
  readonly now: number;
}

/** For `SELECT` over `job_intent i`. Errors are cut: the whole one is in the log. */
export const intentColumns = `i.id, i.unique_key AS "uniqueKey", i.job, i.realm_id AS "realmId", i.state,
  i.version, i.attempts, left(i.last_error, 1000) AS "lastError",
  extract(epoch FROM i.created_at)::float8 AS "createdAt", extract(epoch FROM i.run_at)::float8 AS "runAt",
  extract(epoch FROM i.enqueued_at)::float8 AS "enqueuedAt",
  extract(epoch FROM i.finished_at)::float8 AS "finishedAt", extract(epoch FROM now())::float8 AS now`;

/** By the id of the row, or by its unique key, which the ids of its jobs begin with. */
export function findIntents(sql: Sql, id: number | string): Promise<IntentView[]> {
  const condition =
    typeof id === "number"
      ? "i.id = $1"
      : "i.unique_key = ANY(ARRAY[$1, regexp_replace($1, '-v[0-9]+$', '')])";
  return sql.rows<IntentView>(
    `SELECT ${intentColumns} FROM job_intent i WHERE ${condition} ORDER BY i.id`,
    [id],
  );
}
