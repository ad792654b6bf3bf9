import { cutTo } from "@carillon/kit";
import { CalendarError, quoted } from "./calendar-error.ts";
import { existingDay, type DayNumber } from "./dates.ts";

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** A day of the week in a rule, 0 for Monday. An ordinal counts within the month, from its end if negative; 0 means each one. */
export interface RuleDay {
  readonly weekday: number;
  readonly ordinal: number;
}

/** The last occurrence, included: a local day, or an instant in UNIX seconds. */
export type Until = { readonly day: DayNumber } | { readonly instant: number };

/** A recurrence rule of RFC 5545, as far as it is supported. An absent list part is an empty list. */
export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count?: number;
  readonly until?: Until;
  readonly byDay: readonly RuleDay[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** First day of the week, 0 for Monday. */
  readonly weekStart: number;
}

/** Codes of the days of the week, Monday first. */
export const dayCodes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

const maxLength = 300;
const frequencies: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"];
const maxValues = { INTERVAL: 1_000, COUNT: 1_000, BYMONTH: 12, BYMONTHDAY: 31, BYSETPOS: 366 };
const known = ["FREQ", "UNTIL", "BYDAY", "WKST", ...Object.keys(maxValues)];

/**
 * Parses a rule: RFC 5545 `RRULE` parts, up to 300 characters, in any letter case, with or without `RRULE:` before them.
 * @throws CalendarError for `rrule`
 */
export function parseRule(text: string): Rule {
  if (text.length > maxLength) throw refused(`is longer than ${maxLength} characters`);
  const parts = partsOf(text.toUpperCase().replace(/^RRULE:/, ""));
  const frequency = parts.get("FREQ");
  if (frequency === undefined) throw refused("has no FREQ: begin with FREQ=DAILY, for example");
  if (!frequencies.includes(frequency))
    throw refused(`has FREQ=${cutTo(frequency, 40, "…")}: use DAILY, WEEKLY, MONTHLY or YEARLY`);
  const [count, until] = [parts.get("COUNT"), parts.get("UNTIL")];
  const rule: Rule = {
    frequency: frequency as Frequency,
    interval: oneNumber(parts, "INTERVAL") ?? 1,
    ...(count !== undefined && { count: oneNumber(parts, "COUNT")! }),
    ...(until !== undefined && { until: parseUntil(until) }),
    byDay: list(parts, "BYDAY").map(parseDay),
    byMonthDay: numbers(parts, "BYMONTHDAY", true),
    byMonth: numbers(parts, "BYMONTH", false),
    bySetPos: numbers(parts, "BYSETPOS", true),
    weekStart: weekday(parts.get("WKST") ?? "MO", "WKST"),
  };
  return checked(rule);
}

/** Splits the parts of a rule. */
function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(0, equals));
    if (equals < 1) throw refused(`has ${quoted(part)}: write parts as NAME=VALUE, with ; between`);
    if (!known.includes(name))
      throw refused(`has ${cutTo(name, 40, "…")}, which is not supported: use ${known.join(", ")}`);
    if (parts.has(name)) throw refused(`has ${name} twice`);
    parts.set(name, part.slice(equals + 1));
  }
  return parts;
}

/**
 * Returns the rule unchanged if its parts may be combined.
 * @throws CalendarError for `rrule`
 */
function checked(rule: Rule): Rule {
  const { frequency, byDay, byMonthDay, byMonth, bySetPos } = rule;
  if (rule.count !== undefined && rule.until) throw refused("has COUNT and UNTIL: use one of them");
  if (frequency === "WEEKLY" && byMonthDay.length > 0)
    throw refused("has BYMONTHDAY with FREQ=WEEKLY: use FREQ=MONTHLY or FREQ=DAILY");
  const inMonths = frequency === "MONTHLY" || (frequency === "YEARLY" && byMonth.length > 0);
  if (!inMonths && byDay.some(({ ordinal }) => ordinal !== 0))
    throw refused(
      "has a number before a day of BYDAY: that needs FREQ=MONTHLY, or FREQ=YEARLY with BYMONTH",
    );
  if (bySetPos.length > 0 && byDay.length + byMonthDay.length + byMonth.length === 0)
    throw refused("has BYSETPOS alone: it chooses from BYDAY, BYMONTHDAY or BYMONTH");
  return rule;
}

function list(parts: ReadonlyMap<string, string>, name: string): readonly string[] {
  return parts.get(name)?.split(",") ?? [];
}

/** Parses a list of numbers, each once and in their order. */
function numbers(
  parts: ReadonlyMap<string, string>,
  name: keyof typeof maxValues,
  signed: boolean,
): readonly number[] {
  const values = list(parts, name).map((text) => {
    const value = /^[+-]?\d{1,4}$/.test(text) ? Number(text) : 0;
    const least = signed ? `-${maxValues[name]} to -1, or 1` : "1";
    if (
      Math.abs(value) < 1 ||
      Math.abs(value) > maxValues[name] ||
      (!signed && !/^\d+$/.test(text))
    )
      throw refused(`has ${quoted(text)} in ${name}: use ${least} to ${maxValues[name]}`);
    return value;
  });
  return [...new Set(values)].sort((a, b) => a - b);
}

function oneNumber(
  parts: ReadonlyMap<string, string>,
  name: keyof typeof maxValues,
): number | undefined {
  const values = list(parts, name);
  if (values.length > 1) throw refused(`has more than one ${name}`);
  return numbers(parts, name, false)[0];
}

function parseDay(text: string): RuleDay {
  const [, ordinal = "0", code = ""] = /^([+-]?\d)?([A-Z]{2})$/.exec(text) ?? [];
  const number = Number(ordinal);
  if (code === "" || Math.abs(number) > 5 || (number === 0 && text.length > 2))
    throw refused(
      `has ${quoted(text)} in BYDAY: use MO, TU, WE, TH, FR, SA, SU, with 1 to 5 or -5 to -1 before it`,
    );
  return { weekday: weekday(code, "BYDAY"), ordinal: number };
}

function weekday(code: string, name: string): number {
  const number = (dayCodes as readonly string[]).indexOf(code);
  if (number < 0) throw refused(`has ${quoted(code)} in ${name}: use MO, TU, WE, TH, FR, SA or SU`);
  return number;
}

function parseUntil(text: string): Until {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(text);
  const [year, month, date, hour, minute, second] = (found ?? []).slice(1).map(Number);
  const day = found ? existingDay(year!, month!, date!) : undefined;
  if (day === undefined || hour! > 23 || minute! > 59 || second! > 59)
    throw refused(
      `has ${quoted(text)} in UNTIL: write a date, 20261231, or a time in UTC, 20261231T170000Z`,
    );
  if (found?.[4] === undefined) return { day };
  return { instant: day * 86_400 + hour! * 3_600 + minute! * 60 + second! };
}

function refused(what: string): CalendarError {
  return new CalendarError("rrule", `The rule ${what}`);
}
