// JavaScript, because the scripts that install and build take a lock before anything can be compiled.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAlive, processStatus } from "./process-status.mjs";

/**
 * @typedef {object} LockFile
 * @property {boolean} replaced whether the previous holder died without releasing it
 * @property {() => void} release
 */

/**
 * Takes a lock file for this process. The file holds the process id and when the process started, so that the lock of
 * a dead process is replaced even if its id has been reused.
 * @param {string} path in an existing folder
 * @returns {LockFile | { heldBy: number }} the lock, or the id of the process that holds it
 * @throws {Error} when the file cannot be created, or belongs to another user and cannot be replaced
 */
export function takeLockFile(path) {
  const mine = `${path}.${process.pid}`;
  const own = identity(process.pid);
  let replaced = false;
  // Readable by everyone: other users must be able to check a lock left behind by root, or they would wait forever.
  writeFileSync(mine, own, { mode: 0o644 });
  try {
    while (!linked(mine, path)) {
      const holder = read(path);
      if (holder === undefined) continue;
      const pid = Number(holder.split(" ")[0]);
      if (pid > 0 && isAlive(pid) && identity(pid) === holder) return { heldBy: pid };
      replaced = true;
      moveAway(path, `${mine}.stale`, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  const release = () => {
    if (read(path) === own) rmSync(path, { force: true });
  };
  return { replaced, release };
}

/**
 * Creates the lock file by a hard link, which appears atomically with its content.
 * @param {string} mine
 * @param {string} path
 */
function linked(mine, path) {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Moves a dead lock away, and puts it back if a live one has replaced it in the meantime.
 * @param {string} path
 * @param {string} aside
 * @param {string} holder
 */
function moveAway(path, aside, holder) {
  try {
    renameSync(path, aside);
    if (read(aside) !== holder) linkSync(aside, path);
  } catch {
    // Another process was faster; the next round reads its lock.
  }
  rmSync(aside, { force: true });
}

/**
 * Names a process by its id and its start time, so that a later process with the same id has a different name.
 * @param {number} pid
 */
function identity(pid) {
  return `${pid} ${processStatus(pid)?.startedAt ?? ""}`.trim();
}

/**
 * Reads a file; undefined if it does not exist.
 * @param {string} path
 * @returns {string | undefined}
 */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
}
