import { dayCodes, existingDay, parseDate } from "@carillon/calendar";

/** A written time of day. An hour without am or pm has two readings. */
export interface TimeWords {
  /** Seconds since local midnight, the earlier reading first. */
  readonly readings: readonly number[];
}

/** A recurrence rule in words (once-and-again.md §5.1). */
export interface RuleWords {
  /** The `RRULE` without its end; two for an ambiguous rule such as `year on 3/4`. */
  readonly rules: readonly string[];
  readonly time: TimeWords;
  /** The number of occurrences, or the last day; two days for an ambiguous date such as `until 3/4`. */
  readonly end?: { readonly count: number } | { readonly until: readonly DateWords[] };
  /** The name of a time zone, as written. */
  readonly timezone?: string;
}

/** A date. Without a year it means the next such day. */
export interface DateWords {
  readonly year?: number;
  readonly month: number;
  readonly day: number;
}

const maxLength = 200;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const monthNames = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const ordinals = ["first", "second", "third", "fourth"];

/** Parses `RULE at TIME [until DATE | N times] [ZONE]`. Returns undefined for any other words. */
export function parseRuleWords(text: string): RuleWords | undefined {
  const words = text.trim().replaceAll(/\s+/g, " ");
  if (words.length > maxLength) return undefined;
  const at = words.toLowerCase().lastIndexOf(" at ");
  if (at < 0) return undefined;
  const rules = parseRule(words.slice(0, at).toLowerCase());
  const tail = parseTail(words.slice(at + 4));
  return tail && rules.length > 0 ? { rules, ...tail } : undefined;
}

/** Parses a time of day: `9:00` is on a 24-hour clock, `9` has two readings. */
export function parseTime(text: string): TimeWords | undefined {
  const words = text.trim().toLowerCase();
  if (words === "noon") return { readings: [43_200] };
  if (words === "midnight") return { readings: [0] };
  const [, hours, minutes, meridiem] = /^(\d{1,2})(?::(\d\d))? ?(am|pm)?$/.exec(words) ?? [];
  if (hours === undefined) return undefined;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || hour > 23) return undefined;
  const seconds = (of: number) => of * 3_600 + minute * 60;
  if (meridiem !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    return { readings: [seconds((hour % 12) + (meridiem === "pm" ? 12 : 0))] };
  }
  if (minutes !== undefined || hour === 0 || hour > 12) return { readings: [seconds(hour)] };
  return { readings: [seconds(hour % 12), seconds((hour % 12) + 12)] };
}

/** Returns the times of day that may be meant, in seconds: on a 24-hour clock, `5` is 05:00 and `12` is noon. */
export function timesOfDay({ readings }: TimeWords, twentyFourHours: boolean): readonly number[] {
  const [first, second] = readings;
  return twentyFourHours && second !== undefined ? [first === 0 ? second : first!] : readings;
}

/** Parses a date: `2026-12-31`, `31 december`, `dec 31st 2026`; `3/4` is 4 March in America, 3 April elsewhere. */
export function parseDates(text: string): readonly DateWords[] {
  if (parseDate(text) !== undefined) {
    const [year, month, day] = text.split("-").map(Number);
    return [{ year: year!, month: month!, day: day! }];
  }
  const slashes = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(text);
  if (slashes) {
    const [first, second] = slashes.slice(1, 3).map(Number);
    const year = slashes[3] === undefined ? undefined : Number(slashes[3]);
    const both = [dateOf(year, first!, second!), dateOf(year, second!, first!)];
    return (first === second ? both.slice(0, 1) : both).flat();
  }
  const words = text.toLowerCase().replaceAll(",", " ").split(" ").filter(Boolean);
  const year = /^\d{4}$/.test(words[2] ?? "") ? Number(words[2]) : undefined;
  if (words.length !== (year === undefined ? 2 : 3)) return [];
  const [first = "", second = ""] = words;
  const month = monthOf(first) ?? monthOf(second);
  const day = dayOfMonth(monthOf(first) === undefined ? first : second);
  return month === undefined || day === undefined ? [] : dateOf(year, month, day);
}

function dateOf(year: number | undefined, month: number, day: number): readonly DateWords[] {
  // Without a year, 29 February is a date, too.
  if (existingDay(year ?? 2_000, month, day) === undefined) return [];
  return [{ ...(year !== undefined && { year }), month, day }];
}

function parseRule(text: string): readonly string[] {
  if (text === "day") return ["FREQ=DAILY"];
  if (text === "weekday") return ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"];
  const monthly = /^month on (?:the )?(.+)$/.exec(text);
  if (monthly) return parseMonthly(monthly[1]!);
  const yearly = /^year on (?:the )?(.+)$/.exec(text);
  if (yearly)
    return parseDates(yearly[1]!).flatMap(({ year, month, day }) =>
      year === undefined ? [`FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${day}`] : [],
    );
  const [, weeks = "1", list = text] =
    /^(?:(\d{1,4}) weeks?|(?:week|other week)) on (.+)$/.exec(text) ?? [];
  const every = text.startsWith("other week on ") ? 2 : Number(weeks);
  const codes = list.split(/ ?, ?| and /).map(dayCode);
  if (every < 1 || every > 1_000 || codes.some((code) => code === undefined)) return [];
  const interval = every === 1 ? "" : `;INTERVAL=${every}`;
  return [`FREQ=WEEKLY${interval};BYDAY=${[...new Set(codes)].join(",")}`];
}

function parseMonthly(text: string): readonly string[] {
  if (text === "last day") return ["FREQ=MONTHLY;BYMONTHDAY=-1"];
  const day = dayOfMonth(text);
  if (day !== undefined) return [`FREQ=MONTHLY;BYMONTHDAY=${day}`];
  const [which = "", name = "", ...others] = text.split(" ");
  const code = dayCode(name);
  const ordinal = which === "last" ? -1 : ordinals.indexOf(which) + 1;
  if (code === undefined || ordinal === 0 || others.length > 0) return [];
  return [`FREQ=MONTHLY;BYDAY=${ordinal}${code}`];
}

type Tail = Omit<RuleWords, "rules">;

/** Parses `TIME [until DATE | N times] [ZONE]`. */
function parseTail(text: string): Tail | undefined {
  const [words, timezone] = splitZone(text);
  const zone = timezone === undefined ? {} : { timezone };
  const [, ahead = words, until, count] =
    /^(\S+(?: [ap]m)?) (?:until (.+)|(\d{1,4}) times?)$/i.exec(words) ?? [];
  const time = parseTime(ahead);
  if (!time) return undefined;
  if (until !== undefined) {
    const dates = parseDates(until);
    return dates.length === 0 ? undefined : { time, end: { until: dates }, ...zone };
  }
  if (count === undefined) return { time, ...zone };
  const times = Number(count);
  return times < 1 || times > 1_000 ? undefined : { time, end: { count: times }, ...zone };
}

/** Splits off the name of a time zone at the end of a phrase. */
export function splitZone(text: string): readonly [words: string, timezone: string | undefined] {
  const [, words, name] =
    /^(.*\S) ([a-z][\w+-]{0,40}(?:\/[\w+-]{1,40}){1,2}|utc|gmt)$/i.exec(text.trim()) ?? [];
  return words === undefined ? [text.trim(), undefined] : [words, name];
}

function dayCode(name: string): string | undefined {
  const singular =
    name.endsWith("s") && days.includes(name.slice(0, -1)) ? name.slice(0, -1) : name;
  const index = days.findIndex(
    (day) =>
      day === singular ||
      (singular.length >= 3 && singular.length <= 5 && day.startsWith(singular)),
  );
  return dayCodes[index];
}

function monthOf(name: string): number | undefined {
  const index = monthNames.indexOf(name) >= 0 ? monthNames.indexOf(name) : months.indexOf(name);
  return index < 0 ? undefined : index + 1;
}

function dayOfMonth(text: string): number | undefined {
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text) ?? [];
  const day = Number(digits ?? 0);
  return day >= 1 && day <= 31 ? day : undefined;
}
