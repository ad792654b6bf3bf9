// JavaScript, because the scripts that install and build take a lock before anything can be compiled.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAlive, processStatus } from "./process-status.mjs";

/**
 * @typedef {object} LockFile
 * @property {boolean} replaced whether the one who had it before was killed with it
 * @property {() => void} release
 */

/**
 * Takes the lock that a file is, for this process; it has its number and when it began. That of a process which is
 * gone counts for nothing, also when another process has its number by now.
 * @param {string} path in a folder that is there
 * @returns {LockFile | { heldBy: number }} the lock, or the number of the process that has it
 * @throws {Error} when it cannot be made, or is another user's who keeps it from us
 */
export function takeLockFile(path) {
  const mine = `${path}.${process.pid}`;
  const own = identity(process.pid);
  let replaced = false;
  // Everybody may read whose it is: root's own, left behind, would keep others waiting for ever.
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
 * A link appears whole or not at all, with its content.
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
 * Takes a dead lock away, and puts it back where it was replaced by a live one in the meantime.
 * @param {string} path
 * @param {string} aside
 * @param {string} holder
 */
function moveAway(path, aside, holder) {
  try {
    renameSync(path, aside);
    if (read(aside) !== holder) linkSync(aside, path);
  } catch {
    // Somebody was faster; the next round tells.
  }
  rmSync(aside, { force: true });
}

/** @param {number} pid */
function identity(pid) {
  return `${pid} ${processStatus(pid)?.startedAt ?? ""}`.trim();
}

/**
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
