import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Between two looks, in milliseconds. */
const lookEveryMs = 10_000;
/** A process is idle that has worked for a smaller part of the time. */
const idleBelow = 0.05;
/** After less work there is no garbage worth the while, in milliseconds. */
const worthMs = 2_000;
/** The first may find that much was made just before, and then V8 keeps the room for young objects. */
const collections = 2;

/**
 * Has V8 collect garbage where a process has worked and does nothing any more, the start being the first such work. V8 by
 * itself only looks for garbage while more is made: an idle process would keep that of its start, and 16 MB of room for
 * young objects. A collection takes 30 to 50 ms, of a process of which nobody wants anything.
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

/** Nobody else gets it: it is not left on the global object. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
