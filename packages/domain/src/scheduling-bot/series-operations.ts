import { formatTimeOfDay, parseDate } from "@carillon/calendar";
import { errors, type SeriesOccurrence } from "@carillon/contract";
import type { Notice } from "@carillon/markdown";

import { editScheduled } from "../scheduled/edit.ts";
import { requireSeries } from "../scheduled/series/access.ts";
import {
  deleteSeries,
  pauseSeries,
  resumeSeries,
  skipOccurrence,
} from "../scheduled/series/change-state.ts";
import { createSeries } from "../scheduled/series/create-series.ts";
import { editSeries } from "../scheduled/series/edit-series.ts";
import { listOccurrences } from "../scheduled/series/list-series.ts";
import { nextOccurrence, scheduleOf } from "../scheduled/series/schedule.ts";
import { sendSeries } from "../scheduled/series/send-series.ts";
import { type PlannedRow, readPlanned, type SeriesRow } from "../scheduled/series/series-row.ts";
import { type Clarification, isClarification } from "./clarification.ts";
import type { BotContext } from "./context.ts";
import type { CommandOf } from "./parse-command.ts";
import { placeOfRow } from "./planned.ts";
import type { Reading } from "./read-when.ts";
import type { Decisions } from "./question.ts";
import { readSchedules } from "./read-schedules.ts";
import { resolvePlace } from "./resolve-place.ts";
import { isTime, resolveTime } from "./resolve-time.ts";
import { parseTime, timesOfDay } from "./rule-words.ts";
import type { ShownTime } from "./shown-values.ts";
import {
  cancelledNotice,
  everyTimeChoice,
  firstTimeChoice,
  movedOccurrenceNotice,
  movedSeriesNotice,
  nextTimeChoice,
  noTimesNotice,
  pastNotice,
  pausedNotice,
  questions,
  resumedNotice,
  sentNowNotice,
  seriesNotice,
  skippedNotice,
  unknownZoneNotice,
} from "./texts.ts";

/** Maximum number of times of a series in an answer. */
const shownTimes = 3;

/** Creates a series: `every RULE to WHERE: TEXT`. */
export async function every(
  context: BotContext,
  { rule, where, text }: CommandOf<"every">,
  settled: Decisions,
): Promise<Notice | Clarification> {
  const place = await resolvePlace(context, where, settled);
  if (isClarification(place)) return place;
  const found = readSchedules(rule, context, settled.now);
  if (found.kind === "timezone") return unknownZoneNotice(found.message);
  const { readings } = found;
  if (readings.length === 0) return noTimesNotice();
  const schedule = settled.schedule ?? (readings.length === 1 ? readings[0]?.schedule : undefined);
  if (!schedule)
    return {
      kind: "clarification",
      question: questions.first(),
      choices: readings.map((reading) => ({
        shown: firstTimeChoice(reading.first, reading.schedule.rrule),
        settled: { ...settled, schedule: reading.schedule },
      })),
    };
  const { tx, site, actor, client, realm, hasTimezone } = context;
  const { type, to, topic, shown } = place;
  const input = { type, to, topic, content: text, ...schedule };
  const { seriesId, occurrences } = await createSeries(tx, site, { actor, client }, input);
  return seriesNotice({
    id: seriesId,
    place: shown,
    rrule: schedule.rrule,
    times: timesOf(occurrences, schedule),
    zoneSource: rule.timezone !== undefined ? "command" : hasTimezone ? "account" : "none",
    text,
    emptyTopicName: realm.emptyTopicDisplayName,
  });
}

/** Deletes a series: `cancel sN`. */
export async function cancelSeries({ tx, actor }: BotContext, id: number): Promise<Notice> {
  await deleteSeries(tx, actor, id);
  return cancelledNotice("series", `s${id}`);
}

/** Skips the next message of a series: `skip sN`. */
export async function skip({ tx, site, actor }: BotContext, id: number): Promise<Notice> {
  const series = await requireSeries(tx, actor, id);
  const { skipped, occurrences } = await skipOccurrence(tx, site, actor, id);
  return skippedNotice(id, skipped, timesOf(occurrences, series));
}

/** Pauses a series: `pause sN`. */
export async function pause({ tx, actor }: BotContext, id: number): Promise<Notice> {
  await pauseSeries(tx, actor, id);
  const { state } = await requireSeries(tx, actor, id);
  if (state === "ended") throw errors.badRequest(`The series s${id} has ended`);
  return pausedNotice(id);
}

/** Resumes a series: `resume sN`. */
export async function resume(context: BotContext, id: number): Promise<Notice> {
  const { tx, site, actor } = context;
  await resumeSeries(tx, site, actor, id);
  const series = await requireSeries(tx, actor, id);
  return resumedNotice(id, await nextTimes(context, series, shownTimes));
}

/** Sends the message of a series now: `send sN now`. The planned occurrence stays. */
export async function sendNow(context: BotContext, id: number): Promise<Notice> {
  const { tx, site, actor, client, realm } = context;
  await sendSeries(tx, site, actor, client, id);
  const series = await requireSeries(tx, actor, id);
  return sentNowNotice({
    id,
    place: await placeOfRow(context, series),
    next: series.state === "active" ? (await nextTimes(context, series, 1))[0] : undefined,
    emptyTopicName: realm.emptyTopicDisplayName,
  });
}

/**
 * Moves the next message of a series, and leaves its rule as it is: `move sN to WHEN`. If WHEN is only a time of day, asks
 * whether to move the next message or all of them.
 */
export async function moveSeries(
  context: BotContext,
  id: number,
  when: string,
  settled: Decisions,
): Promise<Notice | Clarification> {
  const { tx, actor } = context;
  const series = await requireSeries(tx, actor, id);
  if (settled.second !== undefined) return moveAll(context, series, settled.second);
  const planned = (await readPlanned(tx, [id])).get(id);
  const clock = parseTime(when.replace(/^at /i, ""));
  if (clock && !settled.time)
    return askWhichMove(
      context,
      series,
      planned,
      timesOfDay(clock, context.twentyFourHours),
      settled,
    );
  if (!planned)
    throw errors.badRequest(`The series s${id} has no next message: it is ${series.state}`);
  if (settled.occurrenceId !== undefined && settled.occurrenceId !== planned.id)
    throw errors.badRequest("The message that you wanted to move has been sent or skipped");
  const time = clock
    ? { ...settled.time!, timezone: series.timezone, source: "command" as const }
    : resolveTime(context, when, { ...settled, occurrenceId: planned.id });
  return isTime(time) ? moveNext(context, series, planned, time) : time;
}

/** Asks whether a time of day is for the next message of a series or for all of them. */
async function askWhichMove(
  context: BotContext,
  series: SeriesRow,
  planned: PlannedRow | undefined,
  seconds: readonly number[],
  settled: Decisions,
): Promise<Notice | Clarification> {
  const { zones, actor } = context;
  const { timezone } = series;
  const day = planned?.senderId === actor.id ? parseDate(planned.occurrence) : undefined;
  const next = seconds.flatMap((second) => {
    if (day === undefined) return [];
    const { instant, localTime } = zones.toInstant({ day, second }, timezone);
    const time: Reading = { instant, localTime };
    if (instant <= settled.now) return [];
    const shown = nextTimeChoice({ ...time, timezone });
    return [{ shown, settled: { ...settled, time, occurrenceId: planned!.id } }];
  });
  const all: Clarification["choices"][number][] = [];
  for (const second of seconds) {
    const schedule = await scheduleOf({ ...series, start: startAt(series, second) });
    const first = nextOccurrence(schedule, settled.now, series.lastOccurrence);
    if (!first) continue;
    all.push({ shown: everyTimeChoice({ ...first, timezone }), settled: { ...settled, second } });
  }
  if (all.length === 0) return pastNotice();
  return { kind: "clarification", question: questions.move(), choices: [...next, ...all] };
}

async function moveNext(
  context: BotContext,
  series: SeriesRow,
  planned: PlannedRow,
  time: ShownTime,
): Promise<Notice> {
  const { tx, site, actor, client, zones } = context;
  const { timezone } = series;
  if (planned.senderId !== actor.id)
    throw errors.badRequest("Only the author of a series can move one of its messages");
  await editScheduled(tx, site, actor, client, planned.id, {
    type: undefined,
    to: undefined,
    content: undefined,
    topic: undefined,
    deliverAt: time.instant,
  });
  const instant = Math.floor(planned.deliverAt);
  return movedOccurrenceNotice({
    seriesId: series.id,
    id: planned.id,
    from: { instant, localTime: zones.toLocal(instant, timezone).localTime, timezone },
    to: time,
    next: (await nextTimes(context, series, 1))[0],
  });
}

async function moveAll(context: BotContext, series: SeriesRow, second: number): Promise<Notice> {
  const { tx, site, actor, client } = context;
  const { id } = series;
  const start = startAt(series, second);
  const occurrences = await editSeries(tx, site, { actor, client }, id, { start });
  return movedSeriesNotice(id, timesOf(occurrences, series), series.state === "paused");
}

/** Returns the start of a series with another time of day. */
function startAt({ start }: SeriesRow, second: number): string {
  return `${start.slice(0, "YYYY-MM-DDT".length)}${formatTimeOfDay(second)}`;
}

async function nextTimes(
  { tx, actor }: BotContext,
  series: SeriesRow,
  count: number,
): Promise<ShownTime[]> {
  const { occurrences } = await listOccurrences(tx, actor, series.id, count);
  return timesOf(occurrences, series);
}

function timesOf(
  occurrences: readonly SeriesOccurrence[],
  { timezone }: { readonly timezone: string },
): ShownTime[] {
  return occurrences
    .slice(0, shownTimes)
    .map(({ scheduled_delivery_timestamp: instant, local_time: localTime }) => ({
      instant,
      localTime,
      timezone,
    }));
}
