import { addDays, instantOf, localOf, weekdayOf } from "../time/zones.ts";

/** A time that people choose often. */
export interface Preset {
  readonly name: "inAnHour" | "tomorrow" | "nextMonday";
  /** Seconds since the epoch. */
  readonly seconds: number;
}

/** Returns the times of the menu, on whole minutes, in the person's time zone. */
export function presets(now: number, zone: string): readonly Preset[] {
  const today = localOf(now, zone).slice(0, 10);
  const morning = (days: number) =>
    instantOf(`${addDays(today, days)}T09:00`, zone)?.seconds ?? now;
  const untilMonday = (8 - weekdayOf(today)) % 7 || 7;
  return [
    { name: "inAnHour", seconds: Math.ceil((now + 3_600) / 60) * 60 },
    { name: "tomorrow", seconds: morning(1) },
    { name: "nextMonday", seconds: morning(untilMonday) },
  ];
}

/** Returns the local time that a form begins with: tomorrow at nine. */
export function firstChoice(now: number, zone: string): string {
  return `${addDays(localOf(now, zone).slice(0, 10), 1)}T09:00`;
}
