import { join } from "node:path";

import { StartupError, takeLockFile } from "@carillon/kit";

/** The lock that keeps other standalones from using the same DATA_DIR. */
export interface InstanceLock {
  /** Whether the previous standalone was killed: its children may need a moment to notice and release their ports. */
  readonly predecessorWasKilled: boolean;
  release(): void;
}

/**
 * Takes the lock of `dataDir`.
 * @throws StartupError when another standalone holds it
 */
export function lockInstance(dataDir: string): InstanceLock {
  const lock = tryLockInstance(dataDir);
  if ("release" in lock) return lock;
  throw new StartupError(
    `Carillon runs already on DATA_DIR ${dataDir} (process ${lock.heldBy}): stop that one first, or choose another DATA_DIR`,
  );
}

/** Returns the lock of `dataDir`, or the process that holds it. */
export function tryLockInstance(dataDir: string): InstanceLock | { readonly heldBy: number } {
  const lock = takeLockFile(join(dataDir, "standalone.pid"));
  if (!("release" in lock)) return lock;
  return { predecessorWasKilled: lock.replaced, release: lock.release };
}
