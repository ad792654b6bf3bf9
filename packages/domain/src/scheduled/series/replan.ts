import type { NewEvent, SeriesOccurrence } from "@carillon/contract";
import { usualOccurrences } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import type { Realm, Site } from "@carillon/model";
import { parseDate, type Schedule } from "@carillon/calendar";

import { scheduledEvents } from "../scheduled-events.ts";
import { planOccurrences } from "./plan-occurrences.ts";
import { occurrencesAfter, presentOccurrence } from "./schedule.ts";
import type { PlannedSeries } from "./series-events.ts";
import type { OpenSeries, PlannedRow, SeriesRow } from "./series-row.ts";
import { updateSeries } from "./store-series.ts";

/** A changed series and its newly planned occurrence. */
export interface Replanned extends PlannedSeries {
  /** Events of the scheduled message. */
  readonly events: readonly NewEvent[];
  /** The next occurrences. */
  readonly occurrences: readonly SeriesOccurrence[];
}

const unplanRow = statement({
  name: "series-unplan",
  text: "DELETE FROM scheduled_messages WHERE id = $1",
});

/** Deletes the locked planned occurrence, if there is one. */
export async function unplan(tx: Tx, planned: PlannedRow | undefined): Promise<NewEvent[]> {
  if (!planned) return [];
  await tx.rows(unplanRow, [planned.id]);
  return [scheduledEvents.remove(planned)];
}

/**
 * Returns an instant before the new time of the planned occurrence if the occurrence is due, so that an edit to an earlier
 * time of the same day does not drop it (once-and-again.md §3.4). The delivery decides whether that is too late. Returns
 * infinity otherwise.
 */
function beforeDue(schedule: Schedule, realm: Realm, planned: PlannedRow | undefined): number {
  if (!planned || planned.deliverAt > realm.now) return Infinity;
  const day = parseDate(planned.occurrence);
  return day !== undefined && schedule.includes(day) ? schedule.at(day).instant - 1 : Infinity;
}

/**
 * Stores changes of a locked series and replaces its planned occurrence by the next one of the changed schedule. A series
 * without a next occurrence ends, and an ended one with a next occurrence becomes active.
 * @param schedule of the changed series
 * @param ended the search for the next occurrence begins at the time of this one if that time has passed; by default the
 *   planned one
 */
export async function replan(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  { series, planned }: OpenSeries,
  schedule: Schedule,
  changes: Partial<SeriesRow>,
  ended: Pick<PlannedRow, "deliverAt"> | undefined = planned,
): Promise<Replanned> {
  const changed = { ...series, ...changes };
  const after = Math.min(
    realm.now,
    ...(ended ? [ended.deliverAt - 1] : []),
    beforeDue(schedule, realm, planned),
  );
  const next = occurrencesAfter(schedule, after, changed.lastOccurrence, usualOccurrences);
  const [occurrence] = next;
  const occurrences = next.map(presentOccurrence);
  if (changed.state === "paused") {
    const stored = await updateSeries(tx, series, changes);
    const events = await unplan(tx, planned);
    return { series: stored, planned: undefined, events, occurrences };
  }
  const state = occurrence ? "active" : "ended";
  const stored = await updateSeries(tx, series, { ...changes, state, pausedReason: null });
  if (!occurrence) {
    const events = await unplan(tx, planned);
    return { series: stored, planned: undefined, events, occurrences };
  }
  const { rows, events } = await planOccurrences(tx, site, realm, [
    { series: stored, occurrence, replaces: planned },
  ]);
  return { series: stored, planned: rows[0], events, occurrences };
}
