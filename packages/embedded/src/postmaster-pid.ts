import { readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

import { isAlive } from "@carillon/kit";

/** What a running server writes into `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `stopping` or `ready`; empty at first. */
  status: string;
}

/** Reads `postmaster.pid` of the data directory `cluster`; undefined when there is none. */
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

/** Returns whether `pid` is alive and, on Linux, works in `cluster`, so that its id has not been reused. */
export async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    // Without root, access is denied to the processes of other users. Such a process may be the cluster's server, which
    // an earlier start as root runs as another user: assume that it is. Root is never denied.
    return (error as NodeJS.ErrnoException).code !== "ENOENT" && process.getuid?.() !== 0;
  }
}
