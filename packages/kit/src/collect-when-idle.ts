import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Interval of the check, in milliseconds. */
const lookEveryMs = 10_000;
/** A process is idle below this event loop utilization. */
const idleBelow = 0.05;
/** Milliseconds of work after which a collection is worth its cost. */
const worthMs = 2_000;
/** The first collection may find many recent objects, and V8 then keeps the space of the young generation. */
const collections = 2;

/**
 * Makes V8 collect garbage when the process has worked and become idle, for the first time after its start. V8 by
 * itself only collects while memory is allocated: an idle process would keep the garbage of its start, and 16 MB for
 * the young generation. A collection takes 30 to 50 ms of an otherwise idle process.
 */
export function collectWhenIdle(everyMs = lookEveryMs): void {
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

/** Returns V8's `gc` without leaving it on the global object. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
