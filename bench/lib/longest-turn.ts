import { once } from "node:events";
import type { Child } from "./child.ts";

/** Milliseconds between two looks. */
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
  if (text !== "longest turn") return;
  process.send({ longest });
  longest = 0;
});`;

/** Options of Node with which a process measures the turns of its event loop. */
export const measuringTurns: readonly string[] = [
  `--import=data:text/javascript,${encodeURIComponent(script)}`,
];

/**
 * Returns the longest turn of the event loop since the last call, in milliseconds of processor time of the main thread, too
 * high by up to 5. Unlike a wait, it does not depend on what else the machine has to do.
 */
export async function longestTurn(child: Child): Promise<number> {
  const answer = once(child.process, "message") as Promise<[{ readonly longest: number }]>;
  child.process.send("longest turn");
  return (await answer)[0].longest;
}
