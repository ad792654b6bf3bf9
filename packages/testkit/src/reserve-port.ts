import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@carillon/embedded";
import { isAlive } from "@carillon/kit";

const folder = join(tmpdir(), "carillon-ports");
const reserved = new Set<string>();

/**
 * Reserves a free port of 127.0.0.1 for the lifetime of this process, so that a process may be killed and started again
 * on it. A file for each port names the process that reserved it.
 */
export async function reservePort(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const port = await freePort();
    if (tryReserve(join(folder, String(port)))) return port;
  }
}

function tryReserve(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // If the process of the file has exited, the next attempt can reserve the port.
    if (!isAlive(holderOf(path))) rmSync(path, { force: true });
    return false;
  }
  if (reserved.size === 0) process.once("exit", release);
  reserved.add(path);
  return true;
}

/** Returns the process of the file; our own while the file is being written, or if it has just been removed. */
function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8")) || process.pid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return process.pid;
  }
}

function release(): void {
  for (const path of reserved) rmSync(path, { force: true });
}
