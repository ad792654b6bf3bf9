import {
  CalendarError,
  checkTemplate,
  expandTemplate,
  formatLocalTime,
  loadZones,
  type Occurrence,
  parseDate,
  parseLocalTime,
  parseRule,
  Schedule,
  type ScheduleWarning,
  type Zones,
} from "@carillon/calendar";
import { errors, type SeriesOccurrence } from "@carillon/contract";
import { inSlices } from "@carillon/kit";

/** The parameters of a schedule, as they are sent and stored. */
export interface ScheduleInput {
  readonly start: string;
  readonly timezone: string;
  readonly rrule: string;
  readonly excludedDates: readonly string[];
}

/** A schedule with its parameters in the form in which they are stored. */
export interface CheckedSchedule {
  readonly schedule: Schedule;
  readonly stored: ScheduleInput & { readonly excludedDates: string[] };
}

/**
 * Checks a schedule (once-and-again.md §3.2), in the order of the parameters.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkSchedule(input: ScheduleInput): Promise<CheckedSchedule> {
  const zones = await loadZones();
  return rejectingCalendarErrors(() => {
    const start = parseLocalTime(input.start);
    const timezone = zones.canonicalName(input.timezone);
    const rule = parseRule(input.rrule);
    const days = [...new Set(input.excludedDates)].sort().map((date) => {
      const day = parseDate(date);
      if (day === undefined)
        throw errors.badRequest("excluded_dates must be dates like 2026-12-25");
      return { date, day };
    });
    return {
      schedule: new Schedule(
        { rule, start, timezone, excludedDays: new Set(days.map(({ day }) => day)) },
        zones,
      ),
      stored: {
        start: formatLocalTime(start),
        timezone,
        rrule: input.rrule.toUpperCase().replace(/^RRULE:/, ""),
        excludedDates: days.map(({ date }) => date),
      },
    };
  });
}

/**
 * Checks that a schedule has an occurrence in the next ten years.
 * @param now UNIX seconds
 * @throws ApiError `BAD_REQUEST`
 */
export function checkOccurs({ schedule }: CheckedSchedule, now: number): void {
  if (!schedule.occursWithin(now))
    throw errors.badRequest("rrule has no occurrence in the next ten years");
}

/**
 * Checks the placeholders of a template.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkTemplates(...texts: readonly string[]): void {
  rejectingCalendarErrors(() => texts.forEach(checkTemplate));
}

function rejectingCalendarErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CalendarError) throw errors.badRequest(`${error.field}: ${error.message}`);
    throw error;
  }
}

/** Loads the schedule of a stored series. @throws Error if it can no longer be computed, for example for a removed time zone */
export async function scheduleOf(stored: ScheduleInput): Promise<Schedule> {
  return buildSchedule(stored, await loadZones());
}

/**
 * Loads the schedules of many stored series and calls `compute` with each, in slices: the next occurrence of a costly rule
 * takes 2 ms, and a batch has hundreds of them.
 * @returns the results in the order of the series; undefined for each schedule that can no longer be computed
 */
export async function withSchedules<Stored extends ScheduleInput, Result>(
  series: readonly Stored[],
  compute: (schedule: Schedule, index: number) => Result,
): Promise<Array<Result | undefined>> {
  if (series.length === 0) return [];
  const zones = await loadZones();
  return inSlices([...series.entries()], ([index, stored]) => {
    try {
      return compute(buildSchedule(stored, zones), index);
    } catch {
      return undefined;
    }
  });
}

function buildSchedule(stored: ScheduleInput, zones: Zones): Schedule {
  const excluded = stored.excludedDates.flatMap((date) => parseDate(date) ?? []);
  return new Schedule(
    {
      rule: parseRule(stored.rrule),
      start: parseLocalTime(stored.start),
      timezone: zones.canonicalName(stored.timezone),
      excludedDays: new Set(excluded),
    },
    zones,
  );
}

/**
 * Finds the next occurrence of a schedule.
 * @param after UNIX seconds, exclusive
 * @param cursor local date of an occurrence that has ended: only later ones count
 */
export function nextOccurrence(
  schedule: Schedule,
  after: number,
  cursor: string | null,
): Occurrence | undefined {
  return occurrencesAfter(schedule, after, cursor, 1)[0];
}

/** Lists the next occurrences of a schedule, as {@link nextOccurrence} finds them. */
export function occurrencesAfter(
  schedule: Schedule,
  after: number,
  cursor: string | null,
  count: number,
): Occurrence[] {
  const last = (cursor === null ? undefined : parseDate(cursor)) ?? Number.NEGATIVE_INFINITY;
  const next = schedule.after(after, count);
  if (next.every(({ day }) => day > last)) return next;
  const found: Occurrence[] = [];
  for (const day of schedule.days(last)) if (found.push(schedule.at(day)) === count) break;
  return found;
}

/** Finds the occurrence after the one of a local date, whether it is due or not. */
export function occurrenceAfter(schedule: Schedule, date: string): Occurrence | undefined {
  const day = parseDate(date);
  const next = day === undefined ? undefined : schedule.nextDay(day);
  return next === undefined ? undefined : schedule.at(next);
}

/** What follows an occurrence that has ended. */
export interface FollowingPlan {
  readonly next: Occurrence | undefined;
  /** Local dates of occurrences that are due and will not be sent, ascending: {@link maxMissed} at most. */
  readonly missed: readonly string[];
}

/** Maximum number of runs that are recorded as missed when no worker has run for a long time. */
export const maxMissed = 1_000;

/**
 * Plans what follows an occurrence (once-and-again.md §3.4). Of several due occurrences only the latest is sent, and only
 * within the grace period.
 * @param cursor local date of the occurrence
 * @param now UNIX seconds
 * @param gracePeriod seconds that an occurrence may be late
 */
export function planFollowing(
  schedule: Schedule,
  cursor: string,
  now: number,
  gracePeriod: number,
): FollowingPlan {
  const due: Occurrence[] = [];
  let next: Occurrence | undefined;
  const last = parseDate(cursor);
  for (const day of last === undefined ? [] : schedule.days(last)) {
    const occurrence = schedule.at(day);
    if (occurrence.instant > now) {
      next = occurrence;
      break;
    }
    due.push(occurrence);
    if (due.length > maxMissed) {
      next = nextOccurrence(schedule, now, null);
      break;
    }
  }
  const latest = due.at(-1);
  if (latest && due.length <= maxMissed && latest.instant >= now - gracePeriod)
    return { next: latest, missed: due.slice(0, -1).map(({ date }) => date) };
  return { next, missed: due.slice(0, maxMissed).map(({ date }) => date) };
}

/** Returns the local day of an instant in a time zone. @param instant UNIX seconds */
export async function localDay(timezone: string, instant: number): Promise<number> {
  return (await loadZones()).toLocal(instant, timezone).day;
}

/** Converts an occurrence to its wire format. */
export function presentOccurrence({ date, instant, localTime }: Occurrence): SeriesOccurrence {
  return { occurrence: date, scheduled_delivery_timestamp: instant, local_time: localTime };
}

export interface PreviewInput extends ScheduleInput {
  /** UNIX seconds, exclusive */
  readonly after: number;
  readonly count: number;
}

/**
 * Lists the occurrences of a schedule that is not stored (once-and-again.md §3.1).
 * @throws ApiError `BAD_REQUEST`
 */
export async function previewSchedule(
  input: PreviewInput,
): Promise<{ occurrences: SeriesOccurrence[]; warnings: ScheduleWarning[] }> {
  const { schedule } = await checkSchedule(input);
  const { after, count } = input;
  const occurrences = schedule.after(after, count);
  return {
    occurrences: occurrences.map(presentOccurrence),
    warnings: schedule.warnings(occurrences, after, count),
  };
}

/** Returns the topic and content of a series for an occurrence: expanded if the series is a template. */
export function expand(
  {
    topic,
    content,
    template,
    sentCount,
  }: {
    readonly topic: string;
    readonly content: string;
    readonly template: boolean;
    readonly sentCount: number;
  },
  day: number,
): { readonly topic: string; readonly content: string } {
  if (!template) return { topic, content };
  const values = { day, number: sentCount + 1 };
  return { topic: expandTemplate(topic, values), content: expandTemplate(content, values) };
}
