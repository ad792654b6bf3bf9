import { packed, statement, type RowOf, type Sql, type Tx } from "@carillon/db";
import { batchTries, mayShareBatch, needsSingleTry } from "@carillon/scheduling";

import type { DueRow } from "./due-row.ts";
import { type BatchLimits, dueOrder, isDue, limitValues, withinLimits } from "./due-rows-sql.ts";

/** Seconds between two tries of a row that is tried singly: other rows are sent meanwhile. */
const singlePause = 15;

/**
 * For this many seconds after a counted try no other try of the row is counted, so that the first can take the delivery
 * lock.
 */
const tryLease = 5;

/** SQL: counts a try in the rows of `picked`, and sets its lease. */
const countTry = `UPDATE scheduled_messages s
    SET attempts = least(s.attempts + 1, 100),
      retry_at = now() + make_interval(secs =>
        CASE WHEN s.attempts + 1 >= ${batchTries} THEN ${singlePause} ELSE ${tryLease} END)
    FROM picked WHERE s.id = picked.id`;

/**
 * Waits for rows that are being edited or delivered, and counts nothing while another try of one of them has its lease: a
 * try of the rows behind it would send them out of order.
 */
const batchTry = statement({
  name: "deliver-try",
  text: `WITH picked AS (SELECT s.id, s.retry_at FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(mayShareBatch("s"))})) AND ${isDue} ${dueOrder} FOR NO KEY UPDATE)
    ${countTry} AND NOT EXISTS (SELECT FROM picked p WHERE p.retry_at > now()) RETURNING s.id, s.attempts`,
});

/** Skips rows that are being edited: rows that are tried singly have lost their place in the order. */
const singleTry = statement({
  name: "deliver-try-single",
  text: `WITH picked AS (SELECT s.id FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(needsSingleTry("s"))})) AND ${isDue} ${dueOrder} FOR NO KEY UPDATE SKIP LOCKED)
    ${countTry} RETURNING s.id, s.attempts`,
});

/** A row in which a try has been counted. `attempts` includes that try. */
export type CountedRow = RowOf<typeof batchTry>;

/**
 * Counts a try in due rows. The caller commits the count before it reads and sends them, so that a try that kills its
 * process or loses its connection has been counted.
 */
export function countBatchTry(tx: Tx, realmId: number, limits: BatchLimits): Promise<CountedRow[]> {
  return tx.lock({ name: "scheduled" }, batchTry, limitValues(realmId, limits));
}

/** Counts a try in one of the rows that are tried singly. */
export function countSingleTry(tx: Tx, realmId: number): Promise<CountedRow[]> {
  return tx.rows(singleTry, limitValues(realmId, { rows: 1, bytes: 1 }));
}

const endLease = statement({
  name: "deliver-try-ended",
  text: `UPDATE scheduled_messages s SET retry_at = NULL FROM (
      SELECT t.id FROM scheduled_messages t WHERE t.id = ANY($1::bigint[]) AND ${mayShareBatch("t")}
      ORDER BY t.id FOR NO KEY UPDATE SKIP LOCKED) tried WHERE s.id = tried.id`,
});

/** Ends the lease of a counted try that has failed, so that the next try of rows that share batches need not wait. */
export async function endLeases(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.rows(endLease, [packed.bigints(ids)]);
}

const uncount = statement({
  name: "deliver-uncount",
  text: "UPDATE scheduled_messages SET attempts = attempts - 1, retry_at = NULL WHERE id = ANY($1::bigint[])",
});

/** Undoes the count of a try in claimed rows that were left out of the batch. The statement is sent with the COMMIT. */
export function uncountTries(tx: Tx, rows: readonly DueRow[]): void {
  if (rows.length === 0) return;
  tx.sendWithCommit(uncount, [packed.bigints(rows.map(({ id }) => id))]);
}
