import {
  CalendarError,
  dateOf,
  dayNumber,
  existingDay,
  weekdayOf,
  type DayNumber,
  type Zones,
} from "@carillon/calendar";
import { whenNeeded } from "@carillon/kit";
import type { Chrono, ParsedComponents, ParsedResult } from "chrono-node";

import { parseTime, splitZone } from "./rule-words.ts";

/** One reading of a phrase about a time. */
export interface Reading {
  /** UNIX seconds. */
  readonly instant: number;
  /** `2026-12-01T09:00:00+01:00` */
  readonly localTime: string;
}

/** What a phrase says: one reading, or several to choose from. */
export type When =
  | { readonly kind: "times"; readonly timezone: string; readonly readings: readonly Reading[] }
  | { readonly kind: "past" }
  | { readonly kind: "unclear" }
  | { readonly kind: "timezone"; readonly message: string };

/** What the meaning of a phrase depends on. */
export interface WhenContext {
  /** UNIX seconds. */
  readonly now: number;
  /** Canonical name of the time zone, unless the phrase names one. */
  readonly timezone: string;
  readonly zones: Zones;
  /** Whether the clock has 24 hours, so that `5` means 05:00. */
  readonly twentyFourHours: boolean;
  readonly english: Chrono;
}

/** Loads chrono's parser of English. */
export const loadEnglish: () => Promise<Chrono> = whenNeeded(
  async () => (await import("chrono-node/en")).casual,
);

const maxLength = 100;
const maxReadings = 9;
const daySeconds = 86_400;

/** Hours to choose from if a phrase has no time of day, by the part of the day that it names. */
const suggestions: ReadonlyArray<readonly [words: RegExp, hours: readonly number[]]> = [
  [/\bmorning\b/i, [7, 8, 9]],
  [/\bafternoon\b/i, [13, 15, 17]],
  [/\b(?:evening|tonight|night)\b/i, [18, 20, 22]],
  [/(?:)/, [9, 12, 17]],
];

/**
 * Reads a phrase such as `tomorrow 9:00` or `friday 5pm Europe/Berlin`. Uses the components of chrono's result, never its
 * dates, which depend on the machine's time zone. An ambiguous phrase has several readings. A phrase is unclear if chrono
 * cannot read all of its words.
 */
export function readWhen(phrase: string, context: WhenContext): When {
  const [text, zone] = splitZone(phrase.replaceAll(/\s+/g, " "));
  if (text === "" || phrase.length > maxLength) return { kind: "unclear" };
  try {
    const timezone = zone === undefined ? context.timezone : context.zones.canonicalName(zone);
    return readIn(text, { ...context, timezone });
  } catch (error) {
    if (error instanceof CalendarError) return { kind: "timezone", message: error.message };
    throw error;
  }
}

function readIn(text: string, context: WhenContext): When {
  const { now, timezone, zones, english } = context;
  const today = zones.toLocal(now, timezone);
  const localNow = today.day * daySeconds + today.second;
  // Pass the local time as UTC, so that chrono computes without any time zone.
  const reference = { instant: new Date(localNow * 1_000), timezone: 0 };
  const duration = secondsFromNow(text);
  if (duration !== undefined) {
    if (duration > maxDuration) return { kind: "unclear" };
    const instant = Math.floor(now) + duration;
    if (instant <= now) return { kind: "past" };
    const { localTime } = zones.toLocal(instant, timezone);
    return { kind: "times", timezone, readings: [{ instant, localTime }] };
  }
  const [found, ...others] = english.parse(text, reference, { forwardDate: true });
  if (!found || others.length > 0 || found.end || !isWhole(text, found)) return { kind: "unclear" };
  const { start } = found;
  const tags = start.tags();
  if (tags.has("result/relativeDateAndTime"))
    return secondsOf(start) < localNow ? { kind: "past" } : { kind: "unclear" };
  if (start.isCertain("timezoneOffset") && !tags.has("result/relativeDate"))
    return { kind: "timezone", message: "Write a time zone by its name, such as Europe/Berlin" };
  const days = daysOf(text, start, today.day);
  if (days === "unclear") return { kind: "unclear" };
  const readings = new Map<number, Reading>();
  for (const second of secondsOfDay(text, start, context))
    for (const day of days ?? [today.day, today.day + 1]) {
      const { instant, localTime } = zones.toInstant({ day, second }, timezone);
      if (instant <= now) continue;
      readings.set(instant, { instant, localTime });
      // A time without a day means the next such time.
      if (!days) break;
    }
  if (readings.size === 0) return { kind: "past" };
  if (readings.size > maxReadings) return { kind: "unclear" };
  const sorted = [...readings.values()].sort((a, b) => a.instant - b.instant);
  return { kind: "times", timezone, readings: sorted };
}

/** Whether chrono has read the whole phrase, except for a leading `on` or `at`. */
function isWhole(text: string, { index, text: read }: ParsedResult): boolean {
  const [before, after] = [text.slice(0, index), text.slice(index + read.length)];
  return /^\s*(?:on|at)?\s*$/i.test(before) && after.trim() === "";
}

/** Returns the days that a phrase may mean; undefined if it names none. */
function daysOf(
  text: string,
  start: ParsedComponents,
  today: DayNumber,
): readonly DayNumber[] | undefined | "unclear" {
  if (/\b(?:last|past|previous)\b/i.test(text)) return "unclear";
  if (start.isCertain("weekday") && !start.isCertain("day"))
    return weekdays(text, (start.get("weekday")! + 6) % 7, today);
  if (start.tags().has("parser/SlashDateFormatParser")) return slashDays(text, start, today);
  const [year, month, day] = [start.get("year")!, start.get("month")!, start.get("day")!];
  if (start.tags().has("result/relativeDate")) return [dayNumber(year, month, day)];
  if (!start.isCertain("day") && !start.isCertain("month"))
    return start.isCertain("hour") || start.isCertain("weekday") ? undefined : "unclear";
  if (!start.isCertain("day") || !start.isCertain("month")) return "unclear";
  return start.isCertain("year") ? existing(year, month, day) : comingDays(month, day, today);
}

function weekdays(text: string, weekday: number, today: DayNumber): readonly DayNumber[] {
  if (/\bnext week\b/i.test(text)) return [today - weekdayOf(today) + 7 + weekday];
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  // On a Friday, `friday` means today or the next one. `next friday` means the first or the second one to come.
  if (ahead === 0) return [today, today + 7];
  return /\bnext\b/i.test(text) ? [today + ahead, today + ahead + 7] : [today + ahead];
}

/** `3/4` is 4 March in America, 3 April elsewhere. */
function slashDays(
  text: string,
  start: ParsedComponents,
  today: DayNumber,
): readonly DayNumber[] | "unclear" {
  const [, first, second] = /\b(\d{1,2})[/-](\d{1,2})\b/.exec(text) ?? [];
  if (first === undefined) return "unclear";
  const [a, b] = [Number(first), Number(second)];
  const year = start.isCertain("year") ? start.get("year")! : undefined;
  const days = [
    [a, b],
    [b, a],
  ].flatMap(([month, day]) =>
    year === undefined ? comingDays(month!, day!, today) : existing(year, month!, day!),
  );
  return days.length === 0 ? "unclear" : [...new Set(days)];
}

/** Returns the next day of a date without a year, which may be today; none if the date does not exist. */
export function comingDays(month: number, day: number, today: DayNumber): readonly DayNumber[] {
  const { year } = dateOf(today);
  for (let next = year; next < year + 9; next++) {
    const [found] = existing(next, month, day);
    if (found !== undefined && found >= today) return [found];
  }
  return [];
}

function existing(year: number, month: number, day: number): readonly DayNumber[] {
  const number = existingDay(year, month, day);
  return number === undefined ? [] : [number];
}

/** Returns the times of day that a phrase may mean, in seconds. */
function secondsOfDay(
  text: string,
  start: ParsedComponents,
  { twentyFourHours }: WhenContext,
): readonly number[] {
  if (!start.isCertain("hour"))
    return suggestions.find(([words]) => words.test(text))![1].map((hour) => hour * 3_600);
  const [hour, minute, second] = [
    start.get("hour")!,
    start.get("minute") ?? 0,
    start.get("second") ?? 0,
  ];
  const seconds = hour * 3_600 + minute * 60 + (start.isCertain("second") ? second : 0);
  const isBare = !start.isCertain("meridiem") && !/\d:\d\d|\bnoon\b|\bmidnight\b/i.test(text);
  if (!isBare || twentyFourHours) return [seconds];
  return parseTime(String(hour))?.readings ?? [seconds];
}

function secondsOf(start: ParsedComponents): number {
  const day = dayNumber(start.get("year")!, start.get("month")!, start.get("day")!);
  const [hour, minute, second] = [start.get("hour")!, start.get("minute")!, start.get("second")!];
  return day * daySeconds + hour * 3_600 + minute * 60 + second;
}

const amount = "(\\d{1,6}|an?|half an?)";
const unit = "(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)";
const durationPattern = new RegExp(
  `^in ((?:${amount} ?${unit}(?:,? and |, ?| |$|(?=\\d)))+)$|^${amount} ?${unit} from now$`,
  "i",
);
const durationParts = new RegExp(`${amount} ?${unit}(?![a-z])`, "gi");
const maxDuration = 366 * daySeconds;

/**
 * Returns the seconds of a phrase such as `in 1 hour and 30 minutes`; undefined for other phrases. Chrono is not used: it
 * would add hours in the machine's time zone, where a change to summer time skips one.
 */
function secondsFromNow(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let seconds = 0;
  for (const [, number = "", name = ""] of text.matchAll(durationParts)) {
    const times = /^half/i.test(number) ? 0.5 : /^a/i.test(number) ? 1 : Number(number);
    const size = { s: 1, m: 60, h: 3_600 }[name[0]!.toLowerCase()] ?? 0;
    seconds += times * size;
  }
  return Math.round(seconds);
}
