import type { Database, Tx } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { filterCondition, filterValues, type DeadFilter } from "./list.ts";

/** What is to be replayed: rows by id, or everything dead that a filter matches. */
export type ReplayRequest =
  | {
      readonly ids: readonly number[];
      /** Only as this version: what was replayed and died again since the list was shown is another one. */
      readonly version?: number | undefined;
    }
  | { readonly matching: DeadFilter };

interface Replayed {
  readonly id: number;
  readonly realmId: number | null;
  readonly job: string;
  readonly uniqueKey: string;
  readonly version: number;
}

/** Rows in one transaction, and in one request. */
const batch = 500;
const most = 10_000;

/**
 * Makes dead letters pending again, as new versions with attempts of their own; the relay puts them into their
 * queues. What is not dead (any more) is left alone, so that two replays at once are one.
 * @param operator their name, for the audit log
 * @returns how many were replayed; at most 10,000 in one go
 */
export async function replay(
  { db, log }: { readonly db: Database; readonly log: Logger },
  request: ReplayRequest,
  operator: string,
): Promise<number> {
  const [start] = await db.rows<{ now: string }>("SELECT now()::text AS now");
  let replayed = 0;
  for (;;) {
    // What dies again meanwhile waits for the next request.
    const rows = await db.transaction((tx) => replayBatch(tx, request, start!.now, operator));
    for (const row of rows) log.info({ operator, ...row }, "a dead letter is replayed");
    replayed += rows.length;
    if (rows.length < batch || replayed >= most) return replayed;
  }
}

/** Work of no organization has no place in the audit log, which belongs to organizations: the log line is its trace. */
function replayBatch(
  tx: Tx,
  request: ReplayRequest,
  before: string,
  operator: string,
): Promise<Replayed[]> {
  const [condition, values] =
    "ids" in request
      ? [
          "i.id = ANY($1::bigint[]) AND ($2::int IS NULL OR i.version = $2)",
          [request.ids, request.version ?? null],
        ]
      : [filterCondition, filterValues(request.matching)];
  return tx.rows<Replayed>(
    `WITH chosen AS (
        SELECT i.id, i.attempts FROM job_intent i
        WHERE i.state = 'dead' AND ${condition} AND (i.finished_at <= $3::timestamptz OR i.finished_at IS NULL)
        ORDER BY i.finished_at, i.id LIMIT ${batch} FOR UPDATE SKIP LOCKED
      ), replayed AS (
        UPDATE job_intent i SET state = 'pending', version = i.version + 1, attempts = 0,
          run_at = now(), enqueued_at = NULL, finished_at = NULL
        FROM chosen c WHERE i.id = c.id
        RETURNING i.id, i.realm_id, i.job, i.unique_key, i.version, c.attempts
      ), audited AS (
        INSERT INTO audit_log (realm_id, event_type, extra_data)
        SELECT realm_id, 'job_replayed', jsonb_build_object('intent_id', id, 'job', job,
          'unique_key', unique_key, 'version', version, 'attempts', attempts, 'operator', $4::text)
        FROM replayed WHERE realm_id IS NOT NULL
      )
      SELECT id, realm_id AS "realmId", job, unique_key AS "uniqueKey", version FROM replayed`,
    [...values, before, operator],
  );
}
