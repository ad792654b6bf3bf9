/** Days of the week as rules name them, from Monday on. */
export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof weekdays)[number];

/** When a series ends. */
export type End =
  | { readonly kind: "never" }
  /** The last day on which it may occur: `2026-12-31`. */
  | { readonly kind: "until"; readonly date: string }
  | { readonly kind: "count"; readonly count: number };

/** Values of the form's fields. Each kind uses some of them. */
export interface Rule {
  readonly kind: "daily" | "weekdays" | "weekly" | "monthly" | "other";
  /** Every so many days, weeks or months. */
  readonly interval: number;
  readonly days: readonly Weekday[];
  /** The day of the month; −1 is the last. */
  readonly monthDay: number;
  readonly end: End;
  /** The rule of RFC 5545, for the kind `other`. */
  readonly text: string;
}

const workingDays = weekdays.slice(0, 5);

/** Writes a rule as RFC 5545 has it. */
export function textOfRule({ kind, interval, days, monthDay, end, text }: Rule): string {
  if (kind === "other") return text.trim();
  const parts = [
    `FREQ=${{ daily: "DAILY", weekdays: "WEEKLY", weekly: "WEEKLY", monthly: "MONTHLY" }[kind]}`,
  ];
  if (interval > 1 && kind !== "weekdays") parts.push(`INTERVAL=${interval}`);
  if (kind === "weekdays") parts.push(`BYDAY=${workingDays.join(",")}`);
  if (kind === "weekly" && days.length > 0)
    parts.push(`BYDAY=${weekdays.filter((day) => days.includes(day)).join(",")}`);
  if (kind === "monthly") parts.push(`BYMONTHDAY=${monthDay}`);
  if (end.kind === "until") parts.push(`UNTIL=${end.date.replaceAll("-", "")}`);
  if (end.kind === "count") parts.push(`COUNT=${end.count}`);
  return parts.join(";");
}

/** Reads a rule. One that the fields of the form cannot show is of the kind `other`. */
export function ruleOf(text: string): Rule {
  const parts = new Map(
    text
      .toUpperCase()
      .replace(/^RRULE:/, "")
      .split(";")
      .map((part) => part.split("=", 2) as [string, string]),
  );
  const take = (name: string) => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const frequency = take("FREQ");
  const interval = Number(take("INTERVAL") ?? 1);
  const until = take("UNTIL");
  const count = take("COUNT");
  const days = take("BYDAY")?.split(",") ?? [];
  const monthDay = take("BYMONTHDAY");
  const end = endOf(until, count);
  const other: Rule = {
    kind: "other",
    interval: 1,
    days: [],
    monthDay: 1,
    end: { kind: "never" },
    text,
  };
  if (parts.size > 0 || !end || !days.every(isWeekday)) return other;
  const common = { ...other, interval, end };
  if (frequency === "DAILY" && days.length === 0 && monthDay === undefined)
    return { ...common, kind: "daily" };
  if (frequency === "WEEKLY" && monthDay === undefined) {
    const isWorkingWeek =
      interval === 1 && days.length === 5 && workingDays.every((day) => days.includes(day));
    return { ...common, kind: isWorkingWeek ? "weekdays" : "weekly", days };
  }
  if (
    frequency === "MONTHLY" &&
    days.length === 0 &&
    /^(-1|[1-9]|[12]\d|3[01])$/.test(monthDay ?? "")
  )
    return { ...common, kind: "monthly", monthDay: Number(monthDay) };
  return other;
}

/** Returns undefined for an end that the form cannot show, such as one at a time of day. */
function endOf(until: string | undefined, count: string | undefined): End | undefined {
  if (until !== undefined) {
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(until) ?? [];
    return day === undefined ? undefined : { kind: "until", date: `${year}-${month}-${day}` };
  }
  return count === undefined ? { kind: "never" } : { kind: "count", count: Number(count) };
}

function isWeekday(day: string): day is Weekday {
  return (weekdays as readonly string[]).includes(day);
}
