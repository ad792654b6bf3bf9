import { localOf } from "./zones.ts";

/** How times are written for a person. */
export interface TimeStyle {
  readonly zone: string;
  /** BCP 47; the browser's own if undefined. */
  readonly locale?: string | undefined;
  /** True writes 14:00 in place of 2:00 PM; undefined follows the locale. */
  readonly twentyFourHours?: boolean | undefined;
}

/** Writes a time in full: `Saturday, 28 November 2026 at 09:00 CET`. */
export function absolute(seconds: number, style: TimeStyle): string {
  return format(seconds, style, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
}

/** Writes the day in full: `Saturday, 28 November 2026`. */
export function fullDay(seconds: number, style: TimeStyle): string {
  return format(seconds, style, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
}

const compactFields = {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
} as const;

/** Writes a time with its day and year, for lists of times in one zone: `Sat, 28 Nov 2026, 09:00`. */
export function compact(seconds: number, style: TimeStyle): string {
  return format(seconds, style, compactFields);
}

/** Writes a time as `compact` does, with the zone: `Sat, 28 Nov 2026, 09:00 CET`. */
export function compactWithZone(seconds: number, style: TimeStyle): string {
  return format(seconds, style, { ...compactFields, timeZoneName: "short" });
}

/** Writes the time of day: `09:00`. */
export function timeOfDay(seconds: number, style: TimeStyle): string {
  return format(seconds, style, { hour: "numeric", minute: "2-digit" });
}

/** Writes the day, with the year unless it is the current one: `Sat, 28 Nov`. */
export function day(seconds: number, now: number, style: TimeStyle): string {
  const year = (at: number) => localOf(at, style.zone).slice(0, 4);
  return format(seconds, style, {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(year(seconds) !== year(now) && { year: "numeric" }),
  });
}

const steps = [
  { unit: "minute", seconds: 60, until: 60 },
  { unit: "hour", seconds: 3_600, until: 24 },
  { unit: "day", seconds: 86_400, until: 60 },
  { unit: "month", seconds: 30.44 * 86_400, until: 24 },
  { unit: "year", seconds: 365.25 * 86_400, until: Infinity },
] as const;

/** Writes how far away a time is: `in 2 hours`, `5 minutes ago`. */
export function relative(seconds: number, now: number, { locale }: TimeStyle): string {
  const words = new Intl.RelativeTimeFormat(locale);
  const distance = seconds - now;
  for (const { unit, seconds: length, until } of steps) {
    const count = Math.round(distance / length);
    // The last 30 seconds are "in 1 minute", too: the row is gone once it is sent.
    if (Math.abs(count) < until) return words.format(count || (distance < 0 ? -1 : 1), unit);
  }
  return "";
}

/** A format, and its texts by minute: each row formats the day of the row above again, to compare it with its own. */
interface Format {
  readonly intl: Intl.DateTimeFormat;
  readonly written: Map<number, string>;
}

/** Making a format takes longer than using it, and pages write hundreds of times. */
const formats = new Map<string, Format>();
/** Maximum texts to keep for a format. */
const most = 1_000;

function format(seconds: number, style: TimeStyle, fields: Intl.DateTimeFormatOptions): string {
  const { intl, written } = formatOf(style, fields);
  const minute = Math.floor(seconds / 60);
  const known = written.get(minute);
  if (known !== undefined) return known;
  if (written.size >= most) written.clear();
  const text = intl.format(seconds * 1_000);
  written.set(minute, text);
  return text;
}

function formatOf(style: TimeStyle, fields: Intl.DateTimeFormatOptions): Format {
  const options: Intl.DateTimeFormatOptions = {
    timeZone: style.zone,
    ...fields,
    ...(style.twentyFourHours && fields.hour && { hourCycle: "h23", hour: "2-digit" }),
  };
  const key = `${style.locale} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = { intl: new Intl.DateTimeFormat(style.locale, options), written: new Map() };
  formats.set(key, made);
  return made;
}
