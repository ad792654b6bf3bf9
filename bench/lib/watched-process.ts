import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Child } from "./child.ts";

/** How often the event loop is looked at, in milliseconds: what is measured is no finer. */
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

/** Options of Node with which a process can be watched. */
export const watchable: readonly string[] = [
  `--import=data:text/javascript,${encodeURIComponent(onMessage)}`,
];

/** What came of a while. */
export interface Watched {
  /** The longest that the event loop was held, in milliseconds. */
  readonly heldMs: number;
  /**
   * The most processor time between two turns of it, of all threads: what holds it by itself, whoever else is at work on
   * the machine.
   */
  readonly busyMs: number;
  /** Bytes of memory (RSS) at its beginning, and at most since. */
  readonly rest: number;
  readonly peak: number;
}

/** Watches a process that was started with `watchable` (Linux). @returns what ends it */
export function watch({ process: child }: Child): () => Promise<Watched> {
  const status = `/proc/${child.pid}/status`;
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(status, "utf8"))?.[1]) *
    1_024;
  // Lets the kernel begin to count the peak anew (proc(5), clear_refs).
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
