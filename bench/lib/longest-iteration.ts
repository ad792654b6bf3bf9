import { once } from "node:events";
import type { Child } from "./child.ts";

/** Milliseconds between two readings. */
const everyMs = 5;

const script = `
import { readFileSync } from "node:fs";
const processorMs = () => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
let last = processorMs();
let longest = 0;
setInterval(() => {
  const now = processorMs();
  longest = Math.max(longest, now - last);
  last = now;
}, ${everyMs}).unref();
process.on("message", (text) => {
  if (text !== "longest iteration") return;
  process.send({ longest });
  longest = 0;
});`;

/** Node options that make a process measure the iterations of its event loop. */
export const measuringIterations: readonly string[] = [
  `--import=data:text/javascript,${encodeURIComponent(script)}`,
];

/**
 * Returns the longest iteration of the event loop since the last call, in milliseconds of processor time of the main
 * thread, at most 5 too high. Unlike wall-clock time, processor time does not depend on other load on the machine.
 */
export async function longestIteration(child: Child): Promise<number> {
  const answer = once(child.process, "message") as Promise<[{ readonly longest: number }]>;
  child.process.send("longest iteration");
  return (await answer)[0].longest;
}
