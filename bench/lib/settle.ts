import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";

const onMessage = `process.on("message", (text) => {
  if (text !== "collect") return;
  gc();
  process.send("collected");
});`;

/** Node options for a process that {@link settledMemory} can measure. */
export const settling: readonly string[] = [
  "--expose-gc",
  `--import=data:text/javascript,${encodeURIComponent(onMessage)}`,
];

/** A process counts as idle when it uses at most this much CPU time in half a second, in milliseconds. */
const idleMs = 20;

/** Waits until a process is idle. */
export async function waitUntilIdle(child: Child): Promise<void> {
  let before = processorMs(child);
  for (;;) {
    await pause(500);
    const now = processorMs(child);
    if (now - before <= idleMs) return;
    before = now;
  }
}

/**
 * Waits until a process is idle, collects its garbage, and returns its resident memory (RSS) in bytes. The process must
 * have been started with {@link settling}.
 */
export async function settledMemory(child: Child): Promise<number> {
  for (let times = 0; times < 2; times++) {
    await waitUntilIdle(child);
    const collected = once(child.process, "message");
    child.process.send("collect");
    await collected;
  }
  await waitUntilIdle(child);
  const status = readFileSync(`/proc/${child.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

/** Returns the CPU time that a process of the bench has used, in milliseconds, in steps of ten. */
export function processorMs({ process: { pid } }: Child): number {
  return processorMsOf(pid ?? 0);
}

/** Returns the CPU time that any process has used, in milliseconds, in steps of ten. */
export function processorMsOf(pid: number): number {
  // The program's name, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
