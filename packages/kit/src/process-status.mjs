import { readFileSync } from "node:fs";

/**
 * True when a process with this number exists and has not ended: one that nobody waited for yet counts as gone.
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
  return processStatus(pid)?.state !== "Z";
}

/**
 * What Linux tells of a process; undefined elsewhere and when it is gone.
 * @param {number} pid
 * @returns {{ state: string, startedAt: string } | undefined}
 */
export function processStatus(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
