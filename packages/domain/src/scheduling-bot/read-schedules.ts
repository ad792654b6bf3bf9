import {
  CalendarError,
  existingDay,
  formatDate,
  formatLocalTime,
  parseRule,
  Schedule,
  type DayNumber,
} from "@carillon/calendar";

import type { BotContext } from "./context.ts";
import type { DecidedSchedule } from "./question.ts";
import { comingDays } from "./read-when.ts";
import { timesOfDay, type DateWords, type RuleWords } from "./rule-words.ts";
import type { ShownTime } from "./shown-values.ts";

/** One reading of a rule in words. */
export interface ScheduleReading {
  readonly schedule: DecidedSchedule;
  /** Its first occurrence. */
  readonly first: ShownTime;
}

/** The meaning of a rule in words: schedules to choose from, none if all occurrences are past; or an invalid time zone. */
export type Schedules =
  | { readonly kind: "schedules"; readonly readings: readonly ScheduleReading[] }
  | { readonly kind: "timezone"; readonly message: string };

/**
 * Reads a rule in words. The series starts with its next occurrence: its interval and its number of occurrences count from
 * that one.
 * @param now UNIX seconds
 */
export function readSchedules(
  words: RuleWords,
  context: Pick<BotContext, "zones" | "timezone" | "twentyFourHours">,
  now: number,
): Schedules {
  try {
    const { zones, twentyFourHours } = context;
    const timezone =
      words.timezone === undefined ? context.timezone : zones.canonicalName(words.timezone);
    const today = zones.toLocal(now, timezone).day;
    const rrules = words.rules.flatMap((rule) =>
      endingsOf(words.end, today).map((ending) => `${rule}${ending}`),
    );
    const readings = rrules.flatMap((rrule) =>
      timesOfDay(words.time, twentyFourHours).flatMap((second) => {
        // The start is the first occurrence from now on. It is found without INTERVAL and COUNT, which count from the start.
        const rule = parseRule(rrule.replace(/;(?:INTERVAL|COUNT)=\d+/g, ""));
        const fromToday = new Schedule({ rule, start: { day: today, second }, timezone }, zones);
        return fromToday.after(now, 1).map((first) => ({
          schedule: { start: formatLocalTime({ day: first.day, second }), timezone, rrule },
          first: { ...first, timezone },
        }));
      }),
    );
    return { kind: "schedules", readings };
  } catch (error) {
    if (error instanceof CalendarError && error.field === "timezone")
      return { kind: "timezone", message: error.message };
    throw error;
  }
}

/** Returns the `COUNT` or `UNTIL` parts that an end may mean; none if its date does not exist. */
function endingsOf(end: RuleWords["end"], today: DayNumber): string[] {
  if (!end) return [""];
  if ("count" in end) return [`;COUNT=${end.count}`];
  return end.until
    .flatMap((date) => daysOf(date, today))
    .map((day) => `;UNTIL=${formatDate(day).replaceAll("-", "")}`);
}

function daysOf({ year, month, day }: DateWords, today: DayNumber): readonly DayNumber[] {
  if (year === undefined) return comingDays(month, day, today);
  const found = existingDay(year, month, day);
  return found === undefined ? [] : [found];
}
