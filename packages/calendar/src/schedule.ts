import { dateOf, daysInMonth, formatDate, lastDay, type DayNumber } from "./dates.ts";
import type { LocalTime } from "./local-time.ts";
import { Recurrence } from "./recurrence.ts";
import type { Rule } from "./rule.ts";
import type { Zones, ZonedTime } from "./zones.ts";

/** Something about the occurrences that a person may not expect. */
export type ScheduleWarning = "SKIPS_SHORT_MONTHS" | "DST_GAP" | "DST_OVERLAP" | "ENDS";

/** One time of a schedule. */
export interface Occurrence extends ZonedTime {
  readonly day: DayNumber;
  /** The rule's local date, `2026-12-01`, which names the occurrence. */
  readonly date: string;
}

/** Parts of a schedule. */
export interface ScheduleParts {
  readonly rule: Rule;
  /** Lower bound, and the time of day of every occurrence. */
  readonly start: LocalTime;
  /** Canonical name. */
  readonly timezone: string;
  readonly excludedDays?: ReadonlySet<DayNumber>;
}

/** A rule at a time of day in a time zone. An occurrence is named by its local date. */
export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #zones: Zones;
  readonly #recurrence: Recurrence;

  constructor(parts: ScheduleParts, zones: Zones) {
    this.#parts = parts;
    this.#zones = zones;
    const { rule, start } = parts;
    this.#recurrence = new Recurrence(rule, start.day, this.#lastDay(rule));
  }

  /** Tells whether the rule has an occurrence on a day, excluded or not. */
  includes(day: DayNumber): boolean {
    return this.#recurrence.includes(day);
  }

  /**
   * Lists the days with occurrences after a day, ascending, without excluded ones. Asking for the next day again and again
   * instead would count the days of a rule with COUNT from its start each time.
   * @param limit last day looked at
   */
  *days(after: DayNumber, limit: DayNumber = lastDay): Generator<DayNumber, undefined> {
    for (const day of this.#recurrence.days(after, limit))
      if (!this.#parts.excludedDays?.has(day)) yield day;
  }

  /** Finds the first day with an occurrence after a day, without excluded ones. */
  nextDay(after: DayNumber, limit: DayNumber = lastDay): DayNumber | undefined {
    return this.days(after, limit).next().value;
  }

  /** Returns the occurrence of a day that the rule includes. */
  at(day: DayNumber): Occurrence {
    const { start, timezone } = this.#parts;
    const time = this.#zones.toInstant({ day, second: start.second }, timezone);
    return { day, date: formatDate(day), ...time };
  }

  /**
   * Lists the next occurrences, without excluded ones.
   * @param after UNIX seconds, exclusive
   */
  after(after: number, count: number): Occurrence[] {
    const found: Occurrence[] = [];
    for (const day of this.days(this.#dayBefore(after))) {
      const occurrence = this.at(day);
      if (occurrence.instant > after && found.push(occurrence) === count) break;
    }
    return found;
  }

  /**
   * Tells whether there is an occurrence between two times.
   * @param after UNIX seconds, exclusive
   * @param years the length of the time looked at, 10 years by default
   */
  occursWithin(after: number, years = 10): boolean {
    const before = this.#dayBefore(after);
    const limit = before + 2 + Math.ceil(years * 365.2425);
    for (const day of this.days(before, limit)) if (this.at(day).instant > after) return true;
    return false;
  }

  /**
   * Returns what may surprise a person about a list of occurrences.
   * @param after UNIX seconds after which the list begins
   * @param asked how many occurrences were requested
   */
  warnings(occurrences: readonly Occurrence[], after: number, asked: number): ScheduleWarning[] {
    const warnings: ScheduleWarning[] = [];
    const last = occurrences.at(-1);
    if (
      last &&
      this.#skipsShortMonths(Math.max(this.#dayBefore(after), this.#parts.start.day), last.day)
    )
      warnings.push("SKIPS_SHORT_MONTHS");
    if (occurrences.some(({ clock }) => clock === "gap")) warnings.push("DST_GAP");
    if (occurrences.some(({ clock }) => clock === "overlap")) warnings.push("DST_OVERLAP");
    if (occurrences.length < asked) warnings.push("ENDS");
    return warnings;
  }

  /** Returns a day early enough that its occurrence is not after the instant. */
  #dayBefore(instant: number): DayNumber {
    return this.#zones.toLocal(instant, this.#parts.timezone).day - 2;
  }

  /** Returns the last day of the rule. An UNTIL with a time includes the occurrence at that instant. */
  #lastDay({ until }: Rule): DayNumber {
    if (!until) return lastDay;
    if ("day" in until) return until.day;
    let day = this.#zones.toLocal(until.instant, this.#parts.timezone).day + 1;
    while (this.at(day).instant > until.instant) day--;
    return day;
  }

  /** Tells whether the rule misses a month between two days because the month is too short. */
  #skipsShortMonths(from: DayNumber, to: DayNumber): boolean {
    const { rule, start } = this.#parts;
    const { frequency, interval, byMonth, byMonthDay, byDay, bySetPos } = rule;
    if (frequency === "WEEKLY" || bySetPos.length > 0) return false;
    const first = dateOf(start.day);
    const open = byMonthDay.length + byDay.length === 0 && frequency !== "DAILY";
    const longestDay = Math.max(0, ...(open ? [first.day] : byMonthDay).map(Math.abs));
    if (longestDay < 29) return false;
    const yearly = frequency === "YEARLY";
    const step = frequency === "DAILY" ? 1 : yearly ? 12 * interval : interval;
    const months = yearly && open && byMonth.length === 0 ? [first.month] : byMonth;
    const begin = first.year * 12 + (yearly ? 0 : first.month - 1);
    const [fromMonth, toMonth] = [from, to].map(
      (day) => dateOf(day).year * 12 + dateOf(day).month - 1,
    );
    for (let index = fromMonth!; index <= toMonth!; index++) {
      const [year, month] = [Math.floor(index / 12), (index % 12) + 1];
      const offset = (yearly ? year * 12 : index) - begin;
      const chosen =
        offset >= 0 && offset % step === 0 && (months.length === 0 || months.includes(month));
      if (chosen && daysInMonth(year, month) < longestDay) return true;
    }
    return false;
  }
}
