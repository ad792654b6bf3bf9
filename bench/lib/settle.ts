import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";

const onMessage = `process.on("message", (text) => {
  if (text !== "collect") return;
  gc();
  process.send("collected");
});`;

/** Options of Node with which a process can be settled. */
export const settling: readonly string[] = [
  "--expose-gc",
  `--import=data:text/javascript,${encodeURIComponent(onMessage)}`,
];

/** What counts as doing nothing: milliseconds of processor time in half a second. */
const idleMs = 20;

/** Waits until a process has nothing to do. */
export async function idle(child: Child): Promise<void> {
  let before = processorMs(child);
  for (;;) {
    await pause(500);
    const now = processorMs(child);
    if (now - before <= idleMs) return;
    before = now;
  }
}

/** Bytes of memory (RSS) of a process that was started with `settling`, idle, after its garbage has been collected. */
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

/** Processor time that it has used, in milliseconds: Linux counts it in steps of ten. */
export function processorMs({ process: { pid } }: Child): number {
  return processorMsOf(pid ?? 0);
}

/** The same of any process. */
export function processorMsOf(pid: number): number {
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
