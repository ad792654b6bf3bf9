import { column, statement, type Database, type Tx, type RowOf } from "@carillon/db";
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

const replayedRow = {
  id: column.bigint,
  realmId: column.int.orNull(),
  job: column.text,
  uniqueKey: column.text,
  version: column.int,
};

type Replayed = RowOf<typeof replayedRow>;

/** Rows in one transaction, and in one request. */
const batch = 500;
const most = 10_000;

const clock = statement({
  name: "database-clock",
  text: "SELECT now()::text AS now",
  row: { now: column.text },
});

/** @param condition on `job_intent i`, of `$1` and `$2` */
const replayOf = (name: string, condition: string) =>
  statement({
    name,
    text: `WITH chosen AS (
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
    row: replayedRow,
  });

const replayById = replayOf(
  "dead-letters-replay-by-id",
  "i.id = ANY($1::bigint[]) AND ($2::int IS NULL OR i.version = $2)",
);
const replayMatching = replayOf("dead-letters-replay-matching", filterCondition);

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
  const [start] = await db.rows(clock);
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
  return "ids" in request
    ? tx.rows(replayById, [request.ids, request.version ?? null, before, operator])
    : tx.rows(replayMatching, [...filterValues(request.matching), before, operator]);
}
