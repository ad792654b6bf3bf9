import { readFileSync } from "node:fs";
import { readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

/** What a server writes into its data directory while it runs. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `stopping` or `ready`; empty in the first moments. */
  status: string;
}

/** The server that says it serves the data directory `cluster`; undefined when none does. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(join(cluster, "postmaster.pid"), "utf8");
  } catch {
    return undefined;
  }
  // The lines: pid, data directory, start time, port, socket folder, listen address, shared memory, status.
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? "").trim() };
}

/** True when `pid` lives and, where the system tells, is a server at work in `cluster` and no later process of that number. */
export async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    // Another user's process: only root may look, and a server of ours is ours to look at.
    return (error as NodeJS.ErrnoException).code !== "ENOENT" && process.getuid?.() !== 0;
  }
}

/** True when a process with this number exists and has not ended: one that nobody waited for yet counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return processStatus(pid)?.state !== "Z";
}

/** What Linux tells of a process; undefined elsewhere and when it is gone. */
export function processStatus(pid: number): { state: string; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
