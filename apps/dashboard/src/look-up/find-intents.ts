import { statement, typed, type RowOf, type Sql } from "@carillon/db";
import { mailMissedMessages, sendMail } from "@carillon/jobs";

/** Types of {@link intentColumns} that PostgreSQL cannot describe. */
export const intentOverrides = { state: typed<"pending" | "done" | "dead">() };

/**
 * A job intent. Times are UNIX seconds.
 * - `accountId`: the account that a mail concerns; null for other jobs.
 * - `now`: the database's clock.
 */
export type IntentView = RowOf<typeof byId>;

/**
 * Finds the account of a mail, through its audit log entry, address change, password reset or link to an identity, or in
 * its payload. The mail of an invitation has none.
 */
const accountOfMail = `CASE WHEN i.job IN ('${sendMail.name}', '${mailMissedMessages.name}') THEN coalesce(
    (SELECT a.modified_user_id FROM audit_log a WHERE a.id = (i.payload->>'auditId')::bigint),
    (SELECT c.user_id FROM address_changes c WHERE c.id = (i.payload->>'changeId')::bigint),
    (SELECT p.user_id FROM password_resets p WHERE p.id = (i.payload->>'resetId')::bigint),
    (SELECT l.user_id FROM account_links l WHERE l.id = (i.payload->>'linkId')::bigint),
    (i.payload->>'userId')::int) END`;

/** Columns of `job_intent i`. Errors are truncated; the log has them in full. */
export const intentColumns = `i.id, i.unique_key AS "uniqueKey", i.job, i.realm_id AS "realmId",
  (SELECT name FROM realms r WHERE r.id = i.realm_id) AS "realmName",
  (SELECT u.id FROM users u WHERE u.id = ${accountOfMail}) AS "accountId",
  (SELECT u.full_name FROM users u WHERE u.id = ${accountOfMail}) AS "accountName", i.state,
  i.version, i.attempts, left(i.last_error, 1000) AS "lastError",
  extract(epoch FROM i.created_at)::float8 AS "createdAt", extract(epoch FROM i.run_at)::float8 AS "runAt",
  extract(epoch FROM nullif(i.enqueued_at, 'infinity'))::float8 AS "enqueuedAt",
  extract(epoch FROM i.finished_at)::float8 AS "finishedAt", extract(epoch FROM now())::float8 AS now`;

/** Ids of queue jobs, as `intentJob` makes them; those of the sweep end with a tick. */
const jobIds = /^([a-z-]+)-([0-9]{1,15})-v[0-9]+(?:-t[0-9]+)?$/;

const find = (
  name: "intent-by-id" | "intent-by-key" | "intents-by-key-or-job",
  condition: string,
) =>
  statement({
    name,
    text: `SELECT ${intentColumns} FROM job_intent i WHERE ${condition} ORDER BY i.id`,
    overrides: intentOverrides,
  });

const byId = find("intent-by-id", "i.id = $1");
const byKey = find("intent-by-key", "i.unique_key = $1");
const byKeyOrJob = find("intents-by-key-or-job", "i.unique_key = $1 OR (i.id = $3 AND i.job = $2)");

/** Finds intents by id, unique key, or the id of a queue job. */
export function findIntents(sql: Sql, id: number | string): Promise<IntentView[]> {
  if (typeof id === "number") return sql.rows(byId, [id]);
  const [, job, number] = jobIds.exec(id) ?? [];
  return job === undefined ? sql.rows(byKey, [id]) : sql.rows(byKeyOrJob, [id, job, number]);
}
