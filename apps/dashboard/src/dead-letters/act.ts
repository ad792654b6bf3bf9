import { statement, type Database, type RowOf } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { chosenBy, conditions, databaseMicros, maxAtOnce } from "./choose.ts";
import type { Action, Choice } from "./request.ts";

type Done = RowOf<ReturnType<typeof acting>>;

/** Rows in one transaction. */
const batch = 500;

/**
 * Effect of each action on the locked rows of `chosen`. A replayed row is pending again, as a new version without attempts;
 * a discarded row is deleted, which frees its key.
 */
const effects: Readonly<Record<Action, { readonly change: string; readonly event: string }>> = {
  replay: {
    change: `UPDATE job_intent i SET state = 'pending', version = i.version + 1, attempts = 0,
        run_at = now(), enqueued_at = NULL, finished_at = NULL
      FROM chosen c WHERE i.id = c.id
      RETURNING i.id, i.realm_id, i.job, i.unique_key, i.version, c.attempts, c.error`,
    event: "job_replayed",
  },
  discard: {
    change: `DELETE FROM job_intent i USING chosen c WHERE i.id = c.id
      RETURNING i.id, i.realm_id, i.job, i.unique_key, i.version, c.attempts, c.error`,
    event: "job_discarded",
  },
};

/**
 * Declares the statement that applies an action to one batch of dead letters, and records each in the audit log of its
 * organization. Values: `$1` to `$3` for {@link conditions}, the time of the preview in microseconds, the operator's
 * name.
 */
const acting = (action: Action, by: keyof typeof conditions) =>
  statement({
    name: `dead-letters-${action}-${by}`,
    text: `WITH chosen AS (
        SELECT i.id, i.attempts, left(i.last_error, 1000) AS error FROM job_intent i
        WHERE i.state = 'dead' AND ${conditions[by]}
          AND (i.finished_at IS NULL OR i.finished_at <= timestamptz 'epoch' + $4::bigint * interval '1 microsecond')
        ORDER BY i.finished_at, i.id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED
      ), done AS (
        ${effects[action].change}
      ), audited AS (
        INSERT INTO audit_log (realm_id, event_type, extra_data)
        SELECT realm_id, '${effects[action].event}', jsonb_build_object('intent_id', id, 'job', job,
          'unique_key', unique_key, 'version', version, 'attempts', attempts, 'error', error, 'operator', $5::text)
        FROM done WHERE realm_id IS NOT NULL
      )
      SELECT id, realm_id AS "realmId", job, unique_key AS "uniqueKey", version FROM done`,
  });

const statements = {
  replay: { chosen: acting("replay", "chosen"), matching: acting("replay", "matching") },
  discard: { chosen: acting("discard", "chosen"), matching: acting("discard", "matching") },
};

const logMessages: Readonly<Record<Action, string>> = {
  replay: "dead letter replayed",
  discard: "dead letter discarded",
};

/**
 * Replays or discards dead letters. Rows that are no longer dead, or have another version, are skipped, so that concurrent
 * and repeated requests act once. Jobs without an organization are recorded in the log only, because the audit log belongs
 * to organizations.
 * @param operator their name, for the audit log
 * @returns the number of rows; at most 10,000 in one request
 */
export async function act(
  { db, log }: { readonly db: Database; readonly log: Logger },
  action: Action,
  choice: Choice,
  operator: string,
): Promise<number> {
  const now = await databaseMicros(db);
  // Jobs that fail again meanwhile are left to the next request.
  const before = Math.min(now, ("matching" in choice ? choice.before : undefined) ?? now);
  const { by, values } = chosenBy(choice);
  let count = 0;
  for (;;) {
    const rows: Done[] = await db.transaction((tx) =>
      tx.rows(statements[action][by], [...values, before, operator]),
    );
    for (const row of rows) log.info({ operator, ...row }, logMessages[action]);
    count += rows.length;
    if (rows.length < batch || count >= maxAtOnce) return count;
  }
}
