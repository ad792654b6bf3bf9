import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Child } from "./child.ts";

/** Interval at which the event loop is sampled, in milliseconds; it limits the resolution of the measurement. */
const resolutionMs = 2;

const onMessage = `import { monitorEventLoopDelay } from "node:perf_hooks";
const delay = monitorEventLoopDelay({ resolution: ${resolutionMs} });
delay.enable();
let before = process.cpuUsage();
let busiest = 0;
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  busiest = Math.max(busiest, user + system);
}, ${resolutionMs}).unref();
process.on("message", (text) => {
  if (text === "watch") (delay.reset(), (busiest = 0));
  if (text === "watched") process.send({ heldMs: delay.max / 1e6, busyMs: busiest / 1e3 });
});`;

/** Node options for a process that {@link watch} can measure. */
export const watchable: readonly string[] = [
  `--import=data:text/javascript,${encodeURIComponent(onMessage)}`,
];

/** Measurements of a period. */
export interface Watched {
  /** The longest delay of the event loop, in milliseconds. */
  readonly heldMs: number;
  /**
   * The most CPU time between two samples, of all threads, in milliseconds. Unlike the delay, it does not depend on
   * other load.
   */
  readonly busyMs: number;
  /** Resident memory (RSS) in bytes: at the beginning, and the peak since. */
  readonly rest: number;
  readonly peak: number;
}

/**
 * Measures a process that was started with {@link watchable}. Needs Linux.
 * @returns a function that ends the measurement
 */
export function watch({ process: child }: Child): () => Promise<Watched> {
  const status = `/proc/${child.pid}/status`;
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(status, "utf8"))?.[1]) *
    1_024;
  // Resets the kernel's peak value (proc(5), clear_refs).
  writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
  const rest = bytes("VmRSS");
  child.send("watch");
  return async () => {
    const answer = once(child, "message");
    child.send("watched");
    const [times] = (await answer) as [Pick<Watched, "heldMs" | "busyMs">];
    return { ...times, rest, peak: bytes("VmHWM") };
  };
}
