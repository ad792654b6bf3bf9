import { systemClock } from "@carillon/kit";
import type { Params } from "@carillon/testkit";

/** UNIX seconds of a time that comes within the test, but not before a busy machine has made some requests. */
export function soon(): number {
  return Math.floor(systemClock.now() / 1_000) + 8;
}

/** Parameters of a series whose first message comes soon, and whose second one does not. */
export function seriesSoon(message: Params): Params {
  const start = new Date(soon() * 1_000).toISOString().slice(0, "2026-12-01T09:00:00".length);
  return { ...message, start, timezone: "UTC", rrule: "FREQ=DAILY" };
}
