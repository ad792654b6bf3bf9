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

/** Ids of the jobs of intents, as `intentJob` makes them; the sweep's end in a tick. */
const jobIds = /^([a-z-]+)-([0-9]{1,15})-v[0-9]+(?:-t[0-9]+)?$/;

/** By the number of the row, by its unique key, or by the id of one of its jobs. */
export function findIntents(sql: Sql, id: number | string): Promise<IntentView[]> {
  const find = (condition: string, values: readonly unknown[]) =>
    sql.rows<IntentView>(
      `SELECT ${intentColumns} FROM job_intent i WHERE ${condition} ORDER BY i.id`,
      values,
    );
  if (typeof id === "number") return find("i.id = $1", [id]);
  const [, job, number] = jobIds.exec(id) ?? [];
  return job === undefined
    ? find("i.unique_key = $1", [id])
    : find("i.unique_key = $1 OR (i.id = $3 AND i.job = $2)", [id, job, number]);
}
