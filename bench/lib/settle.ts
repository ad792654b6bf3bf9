import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";

const onMessage = `process.on("message", (text) => {
  if (text !== "collect") return;
  gc();
  process.send("collected");
});`;

/** Node options for a process whose memory {@link settledMemory} can measure. */
export const settling: readonly string[] = [
  "--expose-gc",
  `--import=data:text/javascript,${encodeURIComponent(onMessage)}`,
];

/** A process counts as idle below this: milliseconds of CPU time in half a second. */
const idleMs = 20;

/** Waits until a process is idle. */
export async function idle(child: Child): Promise<void> {
  let before = processorMs(child);
  for (;;) {
    await pause(500);
    const now = processorMs(child);
    if (now - before <= idleMs) return;
    before = now;
  }
}

/**
 * Returns the resident memory (RSS) in bytes of an idle process, started with `settling`, after a garbage collection.
 */
export async function settledMemory(child: Child): Promise<number> {
  for (let times = 0; times < 2; times++) {
    await idle(child);
    const collected = once(child.process, "message");
    child.process.send("collect");
    await collected;
  }
  await idle(child);
  const status = readFileSync(`/proc/${child.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

/** CPU time that the process has used, in milliseconds, in steps of ten. */
export function processorMs({ process: { pid } }: Child): number {
  return processorMsOf(pid ?? 0);
}

/** CPU time of any process. */
export function processorMsOf(pid: number): number {
  // The program's name, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
