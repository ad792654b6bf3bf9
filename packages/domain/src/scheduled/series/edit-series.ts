import { errors, type GroupSettingValue, type SeriesOccurrence } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  currentActor,
  dropAnonymousGroups,
  isExpectedGroupValue,
  loadGroupValues,
  loadRealm,
  loadSystemGroups,
  lockAccount,
  lockGroupGraph,
  type Realm,
  recordAudit,
  type Site,
} from "@carillon/model";

import { checkUnless } from "../conditions.ts";
import { openSeriesFor } from "./access.ts";
import {
  checkSeriesBound,
  type SeriesEdit,
  type SeriesInput,
  storeManagers,
} from "./create-series.ts";
import { upcoming } from "./list-series.ts";
import { replan, type Replanned } from "./replan.ts";
import { forgetSkipped } from "./runs.ts";
import { checkOccurs, checkSchedule, type CheckedSchedule, checkTemplates } from "./schedule.ts";
import { seriesEvents } from "./series-events.ts";
import { checkSeriesMessage, type SeriesAuthor } from "./series-message.ts";
import type { OpenSeries, SeriesRow } from "./series-row.ts";
import { updateSeries } from "./store-series.ts";

/**
 * Edits a series (once-and-again.md §3.4, §3.5). An account that changes the message becomes the author. Only the author
 * can change the managers.
 * @returns the next occurrences
 * @throws ApiError for the first parameter that is refused; with status 404 if the account may not see the series
 */
export async function editSeries(
  tx: Tx,
  site: Site,
  author: SeriesAuthor,
  id: number,
  input: SeriesEdit,
): Promise<readonly SeriesOccurrence[]> {
  const { expectedManagers, ...asked } = input;
  if (Object.values(asked).every((value) => value === undefined))
    throw errors.badRequest("Nothing to change: give a parameter of the series");
  const { realmId } = author.actor;
  if (input.canManageGroup !== undefined) await lockGroupGraph(tx, realmId);
  await lockAccount(tx, realmId, author.actor.id);
  const actor = await currentActor(tx, author.actor);
  const realm = await loadRealm(tx, realmId);
  const open = await openSeriesFor(tx, actor, id, "manage");
  const { series } = open;
  const { template = series.template } = input;
  const message = changesMessage(input)
    ? await checkSeriesMessage(tx, site, realm, { ...author, actor }, input, template, series)
    : {};
  const checked = await changedSchedule(realm, series, input);
  const changed = { ...series, ...message, ...checked.stored, template };
  if (template) checkTemplates(changed.topic, changed.content);
  const toChannel = changed.channelId !== null;
  const unless = await checkUnless(tx, realm, {
    actor,
    unless: input.unless ?? series.unless ?? undefined,
    toChannel,
    inSeries: true,
  });
  if (input.canManageGroup !== undefined && open.right !== "own")
    throw errors.badRequest("Only the author of a series can change can_manage_group");
  if (expectedManagers !== undefined) await checkExpected(tx, series, expectedManagers);
  const canManageGroupId =
    input.canManageGroup === undefined
      ? series.canManageGroupId
      : await storeManagers(tx, actor, input.canManageGroup);
  if (changed.authorId !== series.authorId && series.state !== "ended")
    await checkSeriesBound(tx, actor.id);
  if (input.excludedDates !== undefined)
    await forgetSkipped(tx, id, series.lastOccurrence, changed.excludedDates);
  const changes: Partial<SeriesRow> = {
    ...message,
    ...checked.stored,
    ...(changed.authorId === series.authorId ? {} : { managersNotified: false }),
    template,
    unless,
    canManageGroupId,
    catchUpSeconds: input.catchUpSeconds ?? series.catchUpSeconds,
  };
  const replanned = changesPlan(input)
    ? await replan(tx, site, realm, open, checked.schedule, changes)
    : await keepPlan(tx, realm, open, changes);
  recordAudit(tx, realmId, actor.id, [
    {
      type: "message_series_updated",
      userId: replanned.series.authorId,
      data: { series_id: id, changed: Object.keys(asked).filter((name) => isGiven(asked, name)) },
    },
  ]);
  await emitReplanned(tx, open, replanned);
  if (canManageGroupId !== series.canManageGroupId)
    await dropAnonymousGroups(tx, [series.canManageGroupId]);
  return replanned.occurrences;
}

/** Throws ApiError `EXPECTATION_MISMATCH` unless the managers are the expected ones. */
async function checkExpected(
  tx: Tx,
  { realmId, canManageGroupId }: SeriesRow,
  expected: GroupSettingValue,
): Promise<void> {
  const [groups, valueOf] = await Promise.all([
    loadSystemGroups(tx, realmId),
    loadGroupValues(tx, [canManageGroupId]),
  ]);
  if (!isExpectedGroupValue(expected, valueOf(canManageGroupId), groups["role:nobody"]))
    throw errors.expectationMismatch("old");
}

function isGiven(input: SeriesInput, name: string): boolean {
  return input[name as keyof SeriesInput] !== undefined;
}

/** Whether the edit also changes the planned occurrence. */
function changesPlan(input: SeriesInput): boolean {
  const { start, timezone, rrule, excludedDates, template, unless } = input;
  return (
    changesMessage(input) ||
    [start, timezone, rrule, excludedDates, template, unless].some((value) => value !== undefined)
  );
}

async function keepPlan(
  tx: Tx,
  realm: Realm,
  { series, planned }: OpenSeries,
  changes: Partial<SeriesRow>,
): Promise<Replanned> {
  const stored = await updateSeries(tx, series, changes);
  return { series: stored, planned, events: [], occurrences: await upcoming(stored, realm.now) };
}

function changesMessage({ type, to, topic, content }: SeriesInput): boolean {
  return [type, to, topic, content].some((value) => value !== undefined);
}

async function changedSchedule(
  realm: Realm,
  series: SeriesRow,
  input: SeriesInput,
): Promise<CheckedSchedule> {
  const checked = await checkSchedule({
    start: input.start ?? series.start,
    timezone: input.timezone ?? series.timezone,
    rrule: input.rrule ?? series.rrule,
    excludedDates: input.excludedDates ?? series.excludedDates,
  });
  const { start, timezone, rrule, excludedDates } = input;
  if ([start, timezone, rrule, excludedDates].some((value) => value !== undefined))
    checkOccurs(checked, realm.now);
  return checked;
}

/** Emits the events of a changed series and of its scheduled message. */
export async function emitReplanned(
  tx: Tx,
  { series }: Pick<OpenSeries, "series">,
  replanned: Replanned,
): Promise<void> {
  emit(tx, series.realmId, [
    ...replanned.events,
    ...(await seriesEvents(tx, [{ before: series, after: replanned }])),
  ]);
}
