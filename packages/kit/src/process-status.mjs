import { readFileSync } from "node:fs";

/**
 * Returns whether a process exists and has not ended. A zombie counts as ended.
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
 * Reads the status of a process from /proc; undefined on systems other than Linux, and when the process is gone.
 * @param {number} pid
 * @returns {{ state: string, startedAt: string } | undefined}
 */
export function processStatus(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
