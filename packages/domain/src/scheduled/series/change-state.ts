import { errors, maxExcludedDates, type NewEvent, type SeriesOccurrence } from "@carillon/contract";
import { formatDate, parseDate } from "@carillon/calendar";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Logger } from "@carillon/kit";
import {
  type Account,
  currentActor,
  dropAnonymousGroups,
  loadRealm,
  lockAccount,
  lockGroupGraph,
  type Realm,
  recordAudit,
  type Site,
} from "@carillon/model";
import { pending } from "@carillon/scheduling";

import { scheduledEvents } from "../scheduled-events.ts";
import { openSeriesFor } from "./access.ts";
import { checkSeriesBound } from "./create-series.ts";
import { emitReplanned } from "./edit-series.ts";
import { upcoming } from "./list-series.ts";
import { replan, unplan } from "./replan.ts";
import { recordRuns } from "./runs.ts";
import { checkSchedule, localDay, nextOccurrence, scheduleOf } from "./schedule.ts";
import { seriesEvents } from "./series-events.ts";
import { checkSeriesMessage, type SeriesAuthor } from "./series-message.ts";
import { sendSeriesNotices } from "./series-notices.ts";
import type { OpenSeries, PausedReason, SeriesRow } from "./series-row.ts";
import { updateSeries } from "./store-series.ts";

/**
 * Pauses a series: its planned occurrence is deleted. Has no effect on one that is paused or has ended.
 * @throws ApiError `BAD_REQUEST`, with status 404 if the account may not see the series
 */
export async function pauseSeries(tx: Tx, actor: Account, id: number): Promise<void> {
  await currentActor(tx, actor);
  const open = await openSeriesFor(tx, actor, id, "administer");
  if (open.series.state !== "active") return;
  await pauseOpen(tx, actor.id, open);
}

/**
 * Pauses a locked series for a person or an operator.
 * @param actorId null for an operator
 * @param data further data for the audit log
 */
export async function pauseOpen(
  tx: Tx,
  actorId: number | null,
  open: OpenSeries,
  data: object = {},
): Promise<void> {
  const { events } = await pause(tx, actorId, open, "manual", data);
  emit(tx, open.series.realmId, events);
}

/**
 * Pauses a locked series whose rule or zone can no longer be used, and sends its author the notice that the delivery sends in
 * the same case.
 * @param log for a notice that cannot be sent; without it the error is thrown
 * @param changes further fields of the series
 */
export async function pauseBroken(
  tx: Tx,
  log: Logger | undefined,
  realm: Realm,
  actorId: number | null,
  open: OpenSeries,
  changes: Partial<SeriesRow> = {},
): Promise<void> {
  const { series, events } = await pause(tx, actorId, open, "rule", {}, changes);
  const noticeEvents = await sendSeriesNotices(tx, log, realm, [{ kind: "rule", series }]);
  emit(tx, realm.id, [...events, ...noticeEvents]);
}

async function pause(
  tx: Tx,
  actorId: number | null,
  { series, planned }: OpenSeries,
  reason: PausedReason,
  data: object,
  changes: Partial<SeriesRow> = {},
): Promise<{ series: SeriesRow; events: readonly NewEvent[] }> {
  const removed = await unplan(tx, planned);
  const paused = await updateSeries(tx, series, {
    ...changes,
    state: "paused",
    pausedReason: reason,
  });
  recordStateChange(tx, actorId, series, "message_series_paused", { reason, ...data });
  const after = { series: paused, planned: undefined };
  const events = [...removed, ...(await seriesEvents(tx, [{ before: series, after }]))];
  return { series: paused, events };
}

/**
 * Resumes a paused series and plans its next occurrence from now on. Has no effect on an active series.
 * @throws ApiError `BAD_REQUEST` if the series has ended; with status 404 if the account may not see the series
 */
export async function resumeSeries(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
  id: number,
): Promise<void> {
  await currentActor(tx, actor);
  const open = await openSeriesFor(tx, actor, id, "manage");
  if (open.series.state === "ended")
    throw errors.badRequest("The series has ended: give it another rule");
  if (open.series.state === "active") return;
  const { schedule } = await checkSchedule(open.series);
  const realm = await loadRealm(tx, actor.realmId);
  const replanned = await replan(tx, site, realm, open, schedule, resumedColumns);
  recordStateChange(tx, actor.id, open.series, "message_series_resumed");
  await emitReplanned(tx, open, replanned);
}

/** Column values of a resumed series. */
const resumedColumns: Partial<SeriesRow> = {
  state: "active",
  pausedReason: null,
  consecutiveFailures: 0,
};

export interface SkipResult {
  /** Local date */
  readonly skipped: string;
  readonly occurrences: readonly SeriesOccurrence[];
}

/**
 * Skips an occurrence: the one on a date, or the next one.
 * @throws ApiError `BAD_REQUEST` if the rule has no occurrence on the date, or the date is past; with status 404 if the
 *   account may not see the series
 */
export async function skipOccurrence(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
  id: number,
  occurrence?: string,
): Promise<SkipResult> {
  await currentActor(tx, actor);
  const open = await openSeriesFor(tx, actor, id, "administer");
  const realm = await loadRealm(tx, actor.realmId);
  const skipped = occurrence ?? (await nextDate(open, realm));
  if (skipped === undefined) throw errors.badRequest("The series has no further occurrence");
  return { skipped, occurrences: await skipOpen(tx, site, realm, actor.id, open, skipped) };
}

async function nextDate(
  { series, planned }: OpenSeries,
  realm: Realm,
): Promise<string | undefined> {
  if (planned) return planned.occurrence;
  const { schedule } = await checkSchedule(series);
  return nextOccurrence(schedule, realm.now, series.lastOccurrence)?.date;
}

/**
 * Skips an occurrence of a locked series. Has no effect on a date that is excluded already.
 * @returns the next occurrences
 * @throws ApiError `BAD_REQUEST`
 */
export async function skipOpen(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  actorId: number,
  open: OpenSeries,
  date: string,
): Promise<readonly SeriesOccurrence[]> {
  const { series } = open;
  if (series.excludedDates.includes(date)) return upcoming(series, realm.now);
  await checkSkippable(open, realm, date);
  const excludedDates = await withExcluded(series, realm.now, date);
  await recordRuns(tx, [
    { seriesId: series.id, occurrence: date, outcome: "skipped", messageId: null, reason: null },
  ]);
  recordStateChange(tx, actorId, series, "message_series_skipped", { occurrence: date });
  if (open.planned?.occurrence !== date) {
    const after = {
      series: await updateSeries(tx, series, { excludedDates }),
      planned: open.planned,
    };
    emit(tx, realm.id, await seriesEvents(tx, [{ before: series, after }]));
    return upcoming(after.series, realm.now);
  }
  // The next occurrence gets a new row: clients delete the row of the skipped one.
  const removed = await unplan(tx, open.planned);
  const schedule = await scheduleOf({ ...series, excludedDates });
  const unplanned = { series, planned: undefined };
  const changes = { excludedDates };
  const replanned = await replan(tx, site, realm, unplanned, schedule, changes, open.planned);
  await emitReplanned(tx, open, { ...replanned, events: [...removed, ...replanned.events] });
  return replanned.occurrences;
}

async function checkSkippable(
  { series, planned }: OpenSeries,
  realm: Realm,
  date: string,
): Promise<void> {
  const day = parseDate(date);
  if (day === undefined) throw errors.badRequest("occurrence must be a date like 2026-12-25");
  const { schedule } = await checkSchedule(series);
  if (!schedule.includes(day)) throw errors.badRequest(`The series has no occurrence on ${date}`);
  const isPast =
    (series.lastOccurrence !== null && date <= series.lastOccurrence) ||
    (date !== planned?.occurrence && schedule.at(day).instant <= realm.now);
  if (isPast) throw errors.badRequest(`The occurrence on ${date} is past`);
}

/**
 * Adds a date to the sorted excluded dates. A full list loses its past dates first.
 * @throws ApiError `BAD_REQUEST` if the list is full of future dates
 */
async function withExcluded(series: SeriesRow, now: number, date: string): Promise<string[]> {
  const { excludedDates, timezone } = series;
  const today = formatDate(await localDay(timezone, now));
  const kept =
    excludedDates.length < maxExcludedDates
      ? excludedDates
      : excludedDates.filter((excluded) => excluded >= today);
  if (kept.length >= maxExcludedDates)
    throw errors.badRequest(`A series can exclude at most ${maxExcludedDates} dates`);
  return [...kept, date].sort();
}

const deletePending = statement({
  name: "series-delete-pending",
  text: `DELETE FROM scheduled_messages s WHERE s.series_id = $1 AND ${pending("s")}
    RETURNING s.id, s.sender_id AS "senderId"`,
});

/**
 * Deletes a series and its pending messages. Sent messages stay, and failed ones stay in their sender's list.
 * @throws ApiError `BAD_REQUEST`, with status 404 if the account may not see the series
 */
export async function deleteSeries(tx: Tx, actor: Account, id: number): Promise<void> {
  await lockGroupGraph(tx, actor.realmId);
  await currentActor(tx, actor);
  const { series } = await openSeriesFor(tx, actor, id, "administer");
  const removed = await tx.rows(deletePending, [id]);
  const events = await seriesEvents(tx, [{ before: series }]);
  const prisma = await tx.prisma();
  await prisma.messageSeries.delete({ where: { id }, select: { id: true } });
  await dropAnonymousGroups(tx, [series.canManageGroupId]);
  recordStateChange(tx, actor.id, series, "message_series_deleted");
  emit(tx, actor.realmId, [...removed.map((row) => scheduledEvents.remove(row)), ...events]);
}

/**
 * Makes the account the author of a series. Resumes the series if it was paused because its author is deactivated.
 * @throws ApiError if the account may not send the message (scheduled-messages.md §0.4); with status 404 if it may not see
 * the series
 */
export async function takeOverSeries(
  tx: Tx,
  site: Site,
  author: SeriesAuthor,
  id: number,
): Promise<void> {
  const { realmId } = author.actor;
  await lockAccount(tx, realmId, author.actor.id);
  const actor = await currentActor(tx, author.actor);
  const open = await openSeriesFor(tx, actor, id, "manage");
  const { series } = open;
  if (series.authorId === actor.id) return;
  const realm = await loadRealm(tx, realmId);
  const by = { ...author, actor };
  const message = await checkSeriesMessage(tx, site, realm, by, {}, series.template, series);
  if (series.state !== "ended") await checkSeriesBound(tx, actor.id);
  const resumes = series.pausedReason === "author_deactivated";
  const { schedule } = await checkSchedule(series);
  const replanned = await replan(tx, site, realm, open, schedule, {
    ...message,
    ...(resumes ? resumedColumns : {}),
    managersNotified: false,
  });
  recordStateChange(tx, actor.id, replanned.series, "message_series_taken_over", {
    from: series.authorId,
  });
  await emitReplanned(tx, open, replanned);
}

/** Records a change of a series in the audit log. @param actorId null if the server made it */
export function recordStateChange(
  tx: Tx,
  actorId: number | null,
  { id, realmId, authorId }: SeriesRow,
  type: `message_series_${string}`,
  data: object = {},
): void {
  recordAudit(tx, realmId, actorId, [{ type, userId: authorId, data: { series_id: id, ...data } }]);
}
