import type { Tx } from "@carillon/db";
import { loadRealm, type Realm, type Site } from "@carillon/model";

import type { ScheduledRow } from "../row.ts";
import { emitReplanned } from "./edit-series.ts";
import { replan } from "./replan.ts";
import { recordRuns } from "./runs.ts";
import { scheduleOf } from "./schedule.ts";
import { lockSeries, type OpenSeries, type SeriesRow } from "./series-row.ts";
import { pauseBroken, recordStateChange, skipOpen } from "./change-state.ts";

/** Whether the row is the planned occurrence of a series. */
export function isPlannedOccurrence(row: ScheduledRow): boolean {
  return row.seriesId !== null && !row.detached && !row.failed && !row.delivered;
}

/** Locks the series of a locked row. In the lock order it comes before a conversation that an edit may create. */
export async function lockSeriesOf(
  tx: Tx,
  { seriesId }: ScheduledRow,
): Promise<SeriesRow | undefined> {
  return seriesId === null ? undefined : (await lockSeries(tx, [seriesId])).get(seriesId);
}

/**
 * Plans the occurrence after one that an edit has detached (once-and-again.md §3.4).
 * @param series locked
 */
export async function planAfterDetached(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  actorId: number,
  series: SeriesRow,
  row: ScheduledRow,
): Promise<void> {
  const { occurrence } = row;
  const open: OpenSeries = { series, planned: undefined };
  const schedule = await scheduleOf(series).catch(() => undefined);
  const changes = { lastOccurrence: occurrence };
  recordStateChange(tx, actorId, series, "message_series_occurrence_changed", { occurrence });
  if (schedule)
    return emitReplanned(tx, open, await replan(tx, site, realm, open, schedule, changes, row));
  await pauseBroken(tx, undefined, realm, actorId, open, changes);
}

/**
 * Deletes the locked row of a planned occurrence, records the occurrence as skipped and plans the next one.
 * @returns false, with nothing changed, if the series was deleted
 */
export async function skipPlanned(
  tx: Tx,
  site: Pick<Site, "url">,
  actorId: number,
  row: ScheduledRow,
): Promise<boolean> {
  const series = await lockSeriesOf(tx, row);
  if (!series) return false;
  const realm = await loadRealm(tx, series.realmId);
  const planned = {
    id: row.id,
    seriesId: series.id,
    senderId: row.senderId,
    occurrence: row.occurrence!,
    deliverAt: row.deliverAt,
  };
  await skipOpen(tx, site, realm, actorId, { series, planned }, planned.occurrence);
  return true;
}

/** Records a detached occurrence as skipped because its row is deleted before it was sent. */
export async function recordDeleted(tx: Tx, row: ScheduledRow): Promise<void> {
  const series = row.failed ? undefined : await lockSeriesOf(tx, row);
  if (!series) return;
  const { id: seriesId } = series;
  await recordRuns(tx, [
    { seriesId, occurrence: row.occurrence!, outcome: "skipped", messageId: null, reason: null },
  ]);
}
