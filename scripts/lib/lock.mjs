import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { takeLockFile } from "../../packages/kit/src/lock-file.mjs";
import { root } from "./root.mjs";
import { StepError } from "./run.mjs";

// Outside node_modules, which an installation empties.
const path = join(root, ".turbo", "install.lock");

/**
 * Runs `work` while no other process of this clone does. A dead process's lock is ignored.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function exclusively(work) {
  const { release } = await take();
  process.on("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * Waits until no other process holds the lock, and takes it.
 * @returns {Promise<import("../../packages/kit/src/lock-file.mjs").LockFile>}
 */
async function take() {
  for (let attempt = 0; ; attempt++) {
    const lock = tryTake();
    if ("release" in lock) return lock;
    if (attempt === 2) {
      console.error("Another process installs or builds in this folder; waiting for it.");
    }
    await pause(250);
  }
}

/** Takes the lock if no other process holds it. @throws {StepError} when this folder belongs to another user */
function tryTake() {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return takeLockFile(path);
  } catch (error) {
    throw new StepError(
      `${root} cannot be written to (${error.code}): the user who owns this folder must build it`,
    );
  }
}
