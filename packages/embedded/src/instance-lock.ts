import { join } from "node:path";

import { StartupError, takeLockFile } from "@carillon/kit";

/** Proof that no other standalone works on the same DATA_DIR. */
export interface InstanceLock {
  /** True when the one before was killed: its children may need a moment to notice and let go of their ports. */
  readonly predecessorWasKilled: boolean;
  release(): void;
}

/**
 * Takes the lock of `dataDir`.
 * @throws StartupError when a standalone runs there
 */
export function lockInstance(dataDir: string): InstanceLock {
  const lock = tryLockInstance(dataDir);
  if ("release" in lock) return lock;
  throw new StartupError(
    `Carillon runs already on DATA_DIR ${dataDir} (process ${lock.heldBy}): stop that one first, or choose another DATA_DIR`,
  );
}

/** The lock of `dataDir`, or the process that has it. */
export function tryLockInstance(dataDir: string): InstanceLock | { readonly heldBy: number } {
  const lock = takeLockFile(join(dataDir, "standalone.pid"));
  if (!("release" in lock)) return lock;
  return { predecessorWasKilled: lock.replaced, release: lock.release };
}
