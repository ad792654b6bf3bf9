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
import type { SettledSchedule } from "./question.ts";
import { comingDays } from "./read-when.ts";
import { timesOfDay, type DateWords, type RuleWords } from "./rule-words.ts";
import type { ShownTime } from "./texts.ts";

/** One reading of a rule in words. */
export interface ScheduleReading {
  readonly schedule: SettledSchedule;
  /** Its first occurrence. */
  readonly first: ShownTime;
}

/** What a rule in words means: schedules to choose from, none where all occurrences are past. */
export type Schedules =
  | { readonly kind: "schedules"; readonly readings: readonly ScheduleReading[] }
  | { readonly kind: "timezone"; readonly message: string };

/**
 * Reads a rule in words. The series starts with its next occurrence: weeks between, and the number of occurrences, count from
 * there.
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
        // An interval counts from the week of the start, and COUNT from its day.
        const rule = parseRule(rrule.replace(/;(?:INTERVAL|COUNT)=\d+/g, ""));
        const open = new Schedule({ rule, start: { day: today, second }, timezone }, zones);
        return open.after(now, 1).map((first) => ({
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

/** Returns the parts of a rule that may be its end; none where the last day does not exist. */
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
