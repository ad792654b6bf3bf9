import { dateOf, dayNumber, daysInMonth, lastDay, weekdayOf, type DayNumber } from "./dates.ts";
import type { Rule } from "./rule.ts";

/** A rule counts as ended after this many consecutive periods without an occurrence: 83 years of months, 19 of weeks. */
const emptyPeriods = 1_000;

/**
 * The periods of a rule, numbered from 0, the one that contains the start. A period of a weekly rule is a week, of a yearly
 * rule a year, of a daily or monthly rule a month.
 */
interface Periods {
  /** Returns the number of the last period that does not begin after a day. */
  numberOf(day: DayNumber): number;
  /** Returns the days that the rule chooses in a period, ascending, also those before the start. */
  daysOf(period: number): readonly DayNumber[];
}

/**
 * The days of a rule from a start on. A query begins at the period that it asks for, so its cost does not grow with the age
 * of the rule; only COUNT is counted from the start, at most 1,000 days.
 */
export class Recurrence {
  readonly #start: DayNumber;
  readonly #until: DayNumber;
  readonly #count: number;
  readonly #periods: Periods;

  /**
   * @param start lower bound; also supplies the day of the week, of the month or of the year that the rule leaves open
   * @param until last day, included
   */
  constructor(rule: Rule, start: DayNumber, until: DayNumber = lastDay) {
    this.#start = start;
    this.#until = Math.min(until, lastDay);
    this.#count = rule.count ?? Infinity;
    this.#periods = rule.frequency === "WEEKLY" ? weeks(rule, start) : months(rule, start);
  }

  /** Tells whether the rule has an occurrence on a day. */
  includes(day: DayNumber): boolean {
    return this.next(day - 1, day) === day;
  }

  /**
   * Finds the first occurrence after a day.
   * @param limit last day looked at
   */
  next(after: DayNumber, limit: DayNumber = lastDay): DayNumber | undefined {
    return this.days(after, limit).next().value;
  }

  /** Finds an occurrence by its number, 1 for the first one. Iterates over all occurrences before it. */
  nth(number: number): DayNumber | undefined {
    let found: DayNumber | undefined;
    const days = this.days(this.#start - 1);
    for (let n = 0; n < number; n++) found = days.next().value;
    return number < 1 ? undefined : found;
  }

  /**
   * Lists the occurrences after a day, ascending.
   * @param limit last day looked at
   */
  *days(after: DayNumber, limit: DayNumber = lastDay): Generator<DayNumber, undefined> {
    const [first, last] = [Math.max(after + 1, this.#start), Math.min(limit, this.#until)];
    if (first > last) return;
    let period = this.#periods.numberOf(first);
    let left = this.#count === Infinity ? Infinity : this.#count - this.#countBefore(first, period);
    const end = this.#periods.numberOf(last);
    for (let empty = 0; period <= end && left > 0 && empty < emptyPeriods; period++, empty++)
      for (const day of this.#periods.daysOf(period)) {
        if (day < first) continue;
        if (day > last || left <= 0) return;
        empty = -1;
        left--;
        yield day;
      }
  }

  /** Counts the occurrences before a day, until there are as many as COUNT. */
  #countBefore(day: DayNumber, period: number): number {
    let counted = 0;
    let empty = 0;
    for (let number = 0; number <= period && counted < this.#count; number++) {
      const days = this.#periods.daysOf(number);
      empty = days.length === 0 ? empty + 1 : 0;
      if (empty === emptyPeriods) break;
      for (const found of days) if (found >= this.#start && found < day) counted++;
    }
    return counted;
  }
}

/** Weeks begin on WKST, which matters for INTERVAL and BYSETPOS. */
function weeks(rule: Rule, start: DayNumber): Periods {
  const step = 7 * rule.interval;
  const begin = start - ((weekdayOf(start) - rule.weekStart + 7) % 7);
  const wanted =
    rule.byDay.length > 0 ? rule.byDay.map(({ weekday }) => weekday) : [weekdayOf(start)];
  const offsets = [...new Set(wanted.map((weekday) => (weekday - rule.weekStart + 7) % 7))];
  offsets.sort((a, b) => a - b);
  const isEmpty =
    rule.bySetPos.length > 0 && rule.bySetPos.every((place) => Math.abs(place) > offsets.length);
  return {
    numberOf: (day) => Math.floor((day - begin) / step),
    daysOf(period) {
      if (isEmpty) return [];
      const days = offsets.map((offset) => begin + period * step + offset);
      const { byMonth } = rule;
      const within =
        byMonth.length === 0 ? days : days.filter((day) => byMonth.includes(dateOf(day).month));
      return atPositions(within, rule.bySetPos);
    },
  };
}

/** Daily, monthly and yearly rules, month by month. */
function months(rule: Rule, start: DayNumber): Periods {
  const { year, month } = dateOf(start);
  const { frequency, interval, bySetPos } = rule;
  const daysIn = daysOfMonths(rule, start);
  if (frequency === "YEARLY") {
    // There are 14 kinds of years: leap years and others, each beginning on one of seven days of the week.
    const years = new Map<number, readonly number[]>();
    return {
      numberOf: (day) => Math.floor((dateOf(day).year - year) / interval),
      daysOf(period) {
        const of = year + period * interval;
        const begin = dayNumber(of, 1, 1);
        const kind = daysInMonth(of, 2) * 7 + weekdayOf(begin);
        let offsets = years.get(kind);
        if (!offsets) {
          const days: DayNumber[] = [];
          for (let index = 0; index < 12; index++) daysIn(of * 12 + index, days);
          offsets = atPositions(days, bySetPos).map((day) => day - begin);
          years.set(kind, offsets);
        }
        return offsets.map((offset) => begin + offset);
      },
    };
  }
  // BYSETPOS chooses within one period of FREQ. In a daily rule that is one day, so only positions 1 and -1 exist.
  const isEmpty =
    frequency === "DAILY" &&
    bySetPos.length > 0 &&
    !bySetPos.some((place) => Math.abs(place) === 1);
  const [first, step] = [year * 12 + month - 1, frequency === "MONTHLY" ? interval : 1];
  return {
    numberOf(day) {
      const date = dateOf(day);
      return Math.floor((date.year * 12 + date.month - 1 - first) / step);
    },
    daysOf(period) {
      if (isEmpty) return [];
      const days: DayNumber[] = [];
      daysIn(first + period * step, days);
      return frequency === "MONTHLY" ? atPositions(days, bySetPos) : days;
    },
  };
}

/**
 * Returns a function that appends the days which a daily, monthly or yearly rule chooses in a month. The month's index is
 * `12 * year + month - 1`.
 */
function daysOfMonths(rule: Rule, start: DayNumber): (index: number, days: DayNumber[]) => void {
  const date = dateOf(start);
  const { frequency, interval, byDay, byMonthDay } = rule;
  const open = byDay.length === 0 && byMonthDay.length === 0;
  const byMonth =
    frequency === "YEARLY" && open && rule.byMonth.length === 0 ? [date.month] : rule.byMonth;
  const monthDays = open && frequency !== "DAILY" ? [date.day] : byMonthDay;
  // Bit masks with a bit for each day, of the 28 kinds of months: four lengths, each beginning on one of seven weekdays.
  const masks = new Map<number, number>();
  return (index, days) => {
    const month = (index % 12) + 1;
    if (byMonth.length > 0 && !byMonth.includes(month)) return;
    const year = Math.floor(index / 12);
    const begin = dayNumber(year, month, 1);
    const length = daysInMonth(year, month);
    const weekday = weekdayOf(begin);
    const kind = length * 7 + weekday;
    let mask = masks.get(kind);
    if (mask === undefined)
      masks.set(
        kind,
        (mask = monthDayMask(monthDays, length) & weekdayMask(byDay, length, weekday)),
      );
    if (frequency !== "DAILY") return append(days, begin, mask, 0, 1, length);
    append(
      days,
      begin,
      mask,
      (((start - begin) % interval) + interval) % interval,
      interval,
      length,
    );
  };
}

/** Appends the days of a month whose bits are set, every `step` days from `first` on. */
function append(
  days: DayNumber[],
  begin: DayNumber,
  mask: number,
  first: number,
  step: number,
  length: number,
): void {
  if (mask === 0) return;
  for (let day = first; day < length; day += step) if (mask & (1 << day)) days.push(begin + day);
}

function monthDayMask(monthDays: readonly number[], length: number): number {
  if (monthDays.length === 0) return 0x7fff_ffff;
  let mask = 0;
  for (const day of monthDays) {
    const bit = day > 0 ? day - 1 : length + day;
    if (bit >= 0 && bit < length) mask |= 1 << bit;
  }
  return mask;
}

function weekdayMask(byDay: Rule["byDay"], length: number, beginsOn: number): number {
  if (byDay.length === 0) return 0x7fff_ffff;
  let mask = 0;
  for (const { weekday, ordinal } of byDay) {
    const first = (weekday - beginsOn + 7) % 7;
    const times = Math.floor((length - 1 - first) / 7) + 1;
    const nth = ordinal > 0 ? ordinal - 1 : times + ordinal;
    if (ordinal === 0) for (let bit = first; bit < length; bit += 7) mask |= 1 << bit;
    else if (nth >= 0 && nth < times) mask |= 1 << (first + 7 * nth);
  }
  return mask;
}

function atPositions(
  days: readonly DayNumber[],
  positions: readonly number[],
): readonly DayNumber[] {
  if (positions.length === 0) return days;
  return days.filter(
    (_, index) => positions.includes(index + 1) || positions.includes(index - days.length),
  );
}
