import { isAlive, processStatus } from "@carillon/embedded";
import { StartupError } from "@carillon/kit";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Proof that no other standalone works on the same DATA_DIR. */
export interface InstanceLock {
  /** True when the one before was killed: its children may need a moment to notice and let go of their ports. */
  predecessorWasKilled: boolean;
  release(): void;
}

/**
 * Takes the lock of `dataDir`. That of a process which is gone counts for nothing, also when another
 * process has its number by now.
 * @throws StartupError when a standalone runs there
 */
export function lockInstance(dataDir: string): InstanceLock {
  const path = join(dataDir, "standalone.pid");
  const mine = `${path}.${process.pid}`;
  let predecessorWasKilled = false;
  writeFileSync(mine, identity(process.pid), { mode: 0o600 });
  try {
    while (!take(mine, path)) {
      const holder = read(path);
      if (holder === undefined) continue;
      const pid = Number(holder.split(" ")[0]);
      if (pid > 0 && isAlive(pid) && identity(pid) === holder) {
        throw new StartupError(
          `Carillon runs already on DATA_DIR ${dataDir} (process ${pid}): stop that one first, or choose another DATA_DIR`,
        );
      }
      predecessorWasKilled = true;
      moveAway(path, `${mine}.stale`, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return { predecessorWasKilled, release: () => rmSync(path, { force: true }) };
}

/** A link appears whole or not at all, with its content. */
function take(mine: string, path: string): boolean {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Takes a dead lock away, and puts it back where it was replaced by a live one in the meantime. */
function moveAway(path: string, aside: string, holder: string): void {
  try {
    renameSync(path, aside);
    if (read(aside) !== holder) linkSync(aside, path);
  } catch {
    // Somebody was faster; the next round tells.
  }
  rmSync(aside, { force: true });
}

function identity(pid: number): string {
  return `${pid} ${processStatus(pid)?.startedAt ?? ""}`.trim();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
