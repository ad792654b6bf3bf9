/** A day of the proleptic Gregorian calendar: days since 1970-01-01, negative before. */
export type DayNumber = number;

/** A calendar date. `month` is 1–12, `day` 1–31. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Days of the week, Monday first: 0–6. */
export const weekdayNames = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
] as const;

const daysInCycle = 146_097;
const daysToEpoch = 719_468;

/** Returns the number of a day. Months and days beyond their range give another day than asked for. */
export function dayNumber(year: number, month: number, day: number): DayNumber {
  // The year is counted from March, so that the leap day is its last one, in cycles of 400 years.
  const shifted = month > 2 ? year : year - 1;
  const cycle = Math.floor(shifted / 400);
  const yearOfCycle = shifted - cycle * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  return cycle * daysInCycle + yearOfCycle * 365 + leapDays + dayOfYear - daysToEpoch;
}

/** Returns the date of a day. */
export function dateOf(number: DayNumber): CalendarDate {
  const shifted = number + daysToEpoch;
  const cycle = Math.floor(shifted / daysInCycle);
  const dayOfCycle = shifted - cycle * daysInCycle;
  const yearOfCycle = Math.floor(
    (dayOfCycle -
      Math.floor(dayOfCycle / 1_460) +
      Math.floor(dayOfCycle / 36_524) -
      Math.floor(dayOfCycle / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfCycle + cycle * 400 + (month > 2 ? 0 : 1),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** Returns the last day that a schedule may have, 9999-12-31. */
export const lastDay: DayNumber = dayNumber(9_999, 12, 31);

/** Returns the number of days of a month: 28–31. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns the day of the week, 0 for Monday. */
export function weekdayOf(number: DayNumber): number {
  return (((number + 3) % 7) + 7) % 7;
}

/** Returns the number of the ISO week that a day lies in: 1–53. */
export function isoWeekOf(number: DayNumber): number {
  // A week belongs to the year of its Thursday.
  const thursday = number - weekdayOf(number) + 3;
  return Math.floor((thursday - dayNumber(dateOf(thursday).year, 1, 1)) / 7) + 1;
}

/** Writes a day as `YYYY-MM-DD`. */
export function formatDate(number: DayNumber): string {
  const { year, month, day } = dateOf(number);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

/** Parses `YYYY-MM-DD`. Returns undefined unless it is a date of the years 1–9999. */
export function parseDate(text: string): DayNumber | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return found ? existingDay(Number(found[1]), Number(found[2]), Number(found[3])) : undefined;
}

/** Returns the number of a day, undefined unless it is a date of the years 1–9999. */
export function existingDay(year: number, month: number, day: number): DayNumber | undefined {
  if (year < 1 || year > 9_999 || month < 1 || month > 12) return undefined;
  return day < 1 || day > daysInMonth(year, month) ? undefined : dayNumber(year, month, day);
}

/** Writes a number with leading zeros. */
export function pad(number: number, length = 2): string {
  return String(number).padStart(length, "0");
}
