/** A local time, `YYYY-MM-DDTHH:MM`, as fields of the types `date` and `time` give it. */
export type LocalTime = string;

/** What a local time means in a time zone. */
export interface Instant {
  /** Seconds since the epoch. */
  readonly seconds: number;
  /** Whether clocks skip the local time, or show it twice. */
  readonly clocks: "once" | "skipped" | "twice";
}

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

/**
 * Finds the instant of a local time, by the rules of the server (once-and-again.md §3.3): a time that clocks skip is the
 * first instant after the gap, and one that they show twice is the first of the two.
 * @returns undefined if the text is no local time, or the zone is unknown
 */
export function instantOf(local: LocalTime, zone: string): Instant | undefined {
  const wall = secondsOf(local);
  if (wall === undefined || !isZone(zone)) return undefined;
  const before = offsetAt(wall - daySeconds, zone);
  const after = offsetAt(wall + daySeconds, zone);
  const instants = [...new Set([before, after])]
    .filter((offset) => offsetAt(wall - offset, zone) === offset)
    .map((offset) => wall - offset);
  if (instants.length === 0)
    return { seconds: endOfGap(wall, before, after, zone), clocks: "skipped" };
  return { seconds: Math.min(...instants), clocks: instants.length > 1 ? "twice" : "once" };
}

/** Returns what clocks of a time zone show at an instant. */
export function localOf(seconds: number, zone: string): LocalTime {
  return new Date((seconds + offsetAt(seconds, zone)) * 1_000).toISOString().slice(0, 16);
}

/** Returns the date some days after another: `2026-02-28` and 1 are `2026-03-01`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * daySeconds * 1_000)
    .toISOString()
    .slice(0, 10);
}

/** Returns the day of the week of a date; 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00Z`).getUTCDay();
}

/** Whether the browser knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    return /^[a-z]/i.test(zone) && formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the names of all time zones. */
export function zones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}

/** Finds the instant at which the offset changes, between the two readings of a skipped local time. */
function endOfGap(wall: number, before: number, after: number, zone: string): number {
  let early = wall - after;
  let late = wall - before;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(middle, zone) === before) early = middle;
    else late = middle;
  }
  return late;
}

/** Returns how many seconds local time is ahead of UTC at an instant. */
function offsetAt(seconds: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(seconds * 1_000))
    parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000 - Math.floor(seconds);
}

function secondsOf(local: LocalTime): number | undefined {
  if (!/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined;
  const milliseconds = Date.parse(`${local}Z`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}
