const maxLength = 100;

const year = String.raw`(?<year>\d{4}|[+\u2212-]\d{6})`;
const dates = [
  year,
  String.raw`${year}-(?<month>\d\d)`,
  String.raw`${year}(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)`,
  String.raw`${year}(?<dash>-?)W(?<week>\d\d)(?:\k<dash>(?<weekday>[1-7]))?`,
  String.raw`${year}-?(?<dayOfYear>\d{3})`,
].map((form) => new RegExp(`^${form}$`, "i"));
const clock =
  /^(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?$/;
const zone = /^(?<sign>[+\u2212-])(?<hours>\d\d)(?::?(?<minutes>\d\d))?$/;

const dayMs = 86_400_000;

/**
 * Parses an ISO 8601 text, basic or extended: a calendar, week or ordinal date, where a month, week or year means its
 * beginning; and a time, to the hour or to any part of a second, with `24:00` and leap seconds. Without a time it is
 * midnight, without a zone UTC.
 * @returns microseconds since the UNIX epoch, rounded up; undefined for other texts, or beyond 275,000 years
 */
export function parseIso8601(text: string): bigint | undefined {
  if (text.length > maxLength) return undefined;
  const [, date = "", time, offset] =
    /^([^T ]+)(?:[T ]([\d:.,]+)\s?([Z+\u2212-].*)?)?$/i.exec(text) ?? [];
  const day = dayOf(date, time !== undefined);
  if (day === undefined) return undefined;
  if (time === undefined) return micro(day);
  const [since, minutes] = [timeOf(time), minutesOf(offset ?? "Z")];
  if (since === undefined || minutes === undefined) return undefined;
  const moment = micro(day - minutes * 60_000) + since.microseconds;
  // A leap second is an extra second at the end of a UTC day, and has the same timestamp as the next second.
  if (since.leap && (moment - since.part) % micro(dayMs) !== 0n) return undefined;
  return moment;
}

/** Returns when the day, week, month or year begins, in UNIX milliseconds. */
function dayOf(text: string, complete: boolean): number | undefined {
  for (const form of dates) {
    const groups = form.exec(text)?.groups;
    if (!groups) continue;
    const { month, day, week, weekday, dayOfYear } = groups;
    const year = Number(groups["year"]?.replace("\u2212", "-"));
    if (complete && !(day ?? weekday ?? dayOfYear)) return undefined;
    if (week) return inWeek(year, Number(week), Number(weekday ?? 1));
    if (dayOfYear) return within(year, at(year, 1, Number(dayOfYear)), dayOfYear !== "000");
    const [wantedMonth, wantedDay] = [Number(month ?? 1), Number(day ?? 1)];
    const moment = at(year, wantedMonth, wantedDay);
    const found = new Date(moment);
    const exists = found.getUTCMonth() + 1 === wantedMonth && found.getUTCDate() === wantedDay;
    return within(year, moment, exists);
  }
  return undefined;
}

/** Returns a day by ISO week. The first week of a year contains 4 January; weeks begin on Monday, 1. */
function inWeek(year: number, week: number, weekday: number): number | undefined {
  const fourth = at(year, 1, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
  const monday = firstMonday + (week - 1) * 7 * dayMs;
  // The week belongs to the year that contains its Thursday.
  const exists = new Date(monday + 3 * dayMs).getUTCFullYear() === year;
  const moment = monday + (weekday - 1) * dayMs;
  return exists && !Number.isNaN(moment) ? moment : undefined;
}

function within(year: number, moment: number, exists: boolean): number | undefined {
  return exists && new Date(moment).getUTCFullYear() === year ? moment : undefined;
}

/** `Date.UTC` is not used, because it turns the year 99 into 1999. */
function at(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

interface SinceMidnight {
  readonly microseconds: bigint;
  /** Whether the second is number 60 of its minute. */
  readonly leap: boolean;
  /** Microseconds since the beginning of the last unit given. */
  readonly part: bigint;
}

/** Parses a time. A fraction belongs to the last unit given. */
function timeOf(text: string): SinceMidnight | undefined {
  const groups = clock.exec(text)?.groups;
  if (!groups) return undefined;
  const { minute, second, fraction = "0" } = groups;
  const [h, m, s] = [Number(groups["hour"]), Number(minute ?? 0), Number(second ?? 0)];
  const unit = micro(second ? 1_000 : minute ? 60_000 : 3_600_000);
  const whole = 10n ** BigInt(fraction.length);
  const part = (BigInt(fraction) * unit + whole - 1n) / whole;
  const microseconds = micro((h * 3_600 + m * 60 + s) * 1_000) + part;
  if (h > 23 && microseconds !== micro(dayMs)) return undefined;
  return m > 59 || s > 60 ? undefined : { microseconds, leap: s === 60, part };
}

/** Returns by how many minutes a zone is ahead of UTC. */
function minutesOf(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0;
  const groups = zone.exec(text)?.groups;
  if (!groups) return undefined;
  const [hours, minutes] = [Number(groups["hours"]), Number(groups["minutes"] ?? 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (groups["sign"] === "+" ? 1 : -1) * (hours * 60 + minutes);
}

function micro(milliseconds: number): bigint {
  return BigInt(milliseconds) * 1_000n;
}
