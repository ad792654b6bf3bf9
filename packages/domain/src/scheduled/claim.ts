import { packed, statement, type Sql, type Tx } from "@carillon/db";
import { mayShareBatch } from "@carillon/scheduling";

import { type DueRow, readDueRows } from "./due-row.ts";
import { type BatchLimits, dueOrder, isDue, limitValues, withinLimits } from "./due-rows-sql.ts";
import { lockSeries } from "./series/series-row.ts";

/** SQL: ends before the first row with a counted try, because rows behind it must not be sent before it. */
const untriedWithinLimits = `${withinLimits(mayShareBatch("s"))} AND NOT f.tried`;

const claim = statement({
  name: "deliver-claim",
  text: `SELECT s.id, s.unless IS NOT NULL AS "hasConditions" FROM scheduled_messages s
    WHERE s.id = ANY(ARRAY(${untriedWithinLimits})) AND ${isDue} ${dueOrder} FOR NO KEY UPDATE`,
});

const claimGiven = statement({
  name: "deliver-claim-given",
  text: `SELECT s.id, s.unless IS NOT NULL AS "hasConditions" FROM scheduled_messages s
    WHERE s.id = ANY($2::bigint[]) AND ${isDue} ${dueOrder} FOR NO KEY UPDATE`,
});

const peek = statement({
  name: "deliver-peek",
  text: untriedWithinLimits,
});

/**
 * Locks and reads the organization's due rows within the limits, in the order of delivery: by time, then by id. Waits for
 * rows that an edit or a delete holds, and skips none. Reads in a second statement, because an edit may have changed the
 * recipient of a row while the first one waited. Leaves out rows with counted tries, and the rows behind them.
 */
export async function claimDue(tx: Tx, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  const found = await tx.lock({ name: "scheduled" }, claim, limitValues(realmId, limits));
  return withSeries(tx, await readDueRows(tx, found));
}

/** Locks the series of claimed occurrences (once-and-again.md §3.4). */
async function withSeries(tx: Tx, rows: DueRow[]): Promise<DueRow[]> {
  const ids = rows.flatMap(({ seriesId }) => seriesId ?? []);
  if (ids.length === 0) return rows;
  const series = await lockSeries(tx, ids);
  return rows.map((row) =>
    row.seriesId === null ? row : { ...row, series: series.get(row.seriesId) },
  );
}

/** Locks and reads the rows that are still due. */
export async function claimThese(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<DueRow[]> {
  const values = [realmId, packed.bigints(ids)];
  const found = await tx.lock({ name: "scheduled" }, claimGiven, values);
  return withSeries(tx, await readDueRows(tx, found));
}

/** Reads due rows within the limits without locks, to parse their texts before they are claimed. */
export async function peekDue(sql: Sql, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return readDueRows(sql, await sql.rows(peek, limitValues(realmId, limits)));
}
