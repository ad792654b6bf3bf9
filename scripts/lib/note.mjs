import { readFileSync } from "node:fs";

/**
 * Reads a JSON note that a program left for its next run; undefined if it is missing or truncated.
 * @param {string} file
 * @returns {Record<string, any> | undefined}
 */
export function readNote(file) {
  try {
    const note = JSON.parse(readFileSync(file, "utf8"));
    return typeof note === "object" ? (note ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
