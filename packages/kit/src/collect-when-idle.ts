import { performance } from "node:perf_hooks";
import { collector } from "./collect-young.ts";

/** Interval of the check, in milliseconds. */
const checkEveryMs = 10_000;
/** A process is idle below this event loop utilization. */
const idleBelow = 0.05;
/** Milliseconds of work after which a collection is worth its cost. */
const worthMs = 2_000;
/** Collections in a row. V8 keeps the space of the young generation if the first one finds many recent objects. */
const collections = 2;

/**
 * Makes V8 collect garbage whenever the process becomes idle: after its start, and after each further
 * {@link worthMs} of work. V8 by itself only collects while memory is allocated, so an idle process would keep the
 * garbage of its start, and 16 MB for the young generation. A collection takes 30 to 50 ms.
 */
export function collectWhenIdle(everyMs = checkEveryMs): void {
  let collect: (() => void) | undefined;
  let seen = performance.eventLoopUtilization();
  let worked = 0;
  let due = collections;
  setInterval(() => {
    const { utilization, active } = performance.eventLoopUtilization(seen);
    seen = performance.eventLoopUtilization();
    worked += active;
    if (worked >= worthMs) {
      worked = 0;
      due = collections;
    }
    if (utilization >= idleBelow || due === 0) return;
    due--;
    collect ??= collector();
    collect();
  }, everyMs).unref();
}
