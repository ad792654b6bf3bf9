import { CalendarError, quoted } from "./calendar-error.ts";
import { existingDay, formatDate, pad, type DayNumber } from "./dates.ts";

/** A date and a time of day, without a zone. */
export interface LocalTime {
  readonly day: DayNumber;
  /** Seconds since local midnight by the clock on the wall: 0–86399. */
  readonly second: number;
}

const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?$/;

/**
 * Parses a local time, `YYYY-MM-DDTHH:MM[:SS]`, of the years 1–9999.
 * @throws CalendarError for `start`
 */
export function parseLocalTime(text: string): LocalTime {
  const [, year, month, day, hour, minute, second = "0"] = form.exec(text) ?? [];
  if (year === undefined)
    throw refused(text, "is not a local time: write 2026-12-01T09:00, without an offset");
  const number = existingDay(Number(year), Number(month), Number(day));
  if (number === undefined) throw refused(text, "is not a date of the calendar");
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    throw refused(text, "has no time of day between 00:00:00 and 23:59:59");
  return { day: number, second: Number(hour) * 3_600 + Number(minute) * 60 + Number(second) };
}

/** Writes a local time as `YYYY-MM-DDTHH:MM:SS`. */
export function formatLocalTime({ day, second }: LocalTime): string {
  return `${formatDate(day)}T${formatTimeOfDay(second)}`;
}

/** Writes seconds since local midnight as `HH:MM:SS`. */
export function formatTimeOfDay(second: number): string {
  const [hours, minutes] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60];
  return `${pad(hours)}:${pad(minutes)}:${pad(second % 60)}`;
}

function refused(text: string, what: string): CalendarError {
  return new CalendarError("start", `${quoted(text)} ${what}`);
}
