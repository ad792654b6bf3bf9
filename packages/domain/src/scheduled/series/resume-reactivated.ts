import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, loadRealm, recordAudit, type Site } from "@carillon/model";

import { planOccurrences } from "./plan-occurrences.ts";
import { nextOccurrence, scheduleOf } from "./schedule.ts";
import { seriesEvents } from "./series-events.ts";
import { lockSeries, type SeriesRow } from "./series-row.ts";
import { updateSeries } from "./store-series.ts";

/** Locks the series that were paused because their author was deactivated, for {@link resumeSeriesOfReactivated}. */
export async function lockSeriesOfDeactivated(
  tx: Tx,
  authorId: number,
): Promise<readonly SeriesRow[]> {
  const prisma = await tx.prisma();
  const found = await prisma.messageSeries.findMany({
    where: { authorId, pausedReason: "author_deactivated" },
    select: { id: true },
  });
  if (found.length === 0) return [];
  const locked = await lockSeries(
    tx,
    found.map(({ id }) => id),
  );
  return [...locked.values()];
}

/**
 * Resumes series of a reactivated account that were paused because it was deactivated (once-and-again.md §3.5), and plans
 * their next occurrences from now on.
 * @param locked from {@link lockSeriesOfDeactivated}
 */
export async function resumeSeriesOfReactivated(
  tx: Tx,
  site: Pick<Site, "url">,
  { id: authorId, realmId }: Pick<Account, "id" | "realmId">,
  locked: readonly SeriesRow[],
): Promise<void> {
  if (locked.length === 0) return;
  const realm = await loadRealm(tx, realmId);
  const resumed: Array<{ before: SeriesRow; series: SeriesRow }> = [];
  const plans = [];
  for (const before of locked) {
    if (before.pausedReason !== "author_deactivated") continue;
    // A series whose rule or time zone can no longer be computed stays paused.
    const schedule = await scheduleOf(before).catch(() => undefined);
    if (!schedule) continue;
    const occurrence = nextOccurrence(schedule, realm.now, before.lastOccurrence);
    const series = await updateSeries(tx, before, {
      authorActive: true,
      state: occurrence ? "active" : "ended",
      pausedReason: null,
      managersNotified: false,
    });
    resumed.push({ before, series });
    if (occurrence) plans.push({ series, occurrence });
  }
  const { rows, events } = await planOccurrences(tx, site, realm, plans);
  const planned = new Map(rows.map((row) => [row.seriesId, row]));
  recordAudit(
    tx,
    realmId,
    null,
    resumed.map(({ series }) => ({
      type: "message_series_resumed",
      userId: authorId,
      data: { series_id: series.id },
    })),
  );
  const changes = resumed.map(({ before, series }) => ({
    before,
    after: { series, planned: planned.get(series.id) },
  }));
  emit(tx, realmId, [...events, ...(await seriesEvents(tx, changes))]);
}
