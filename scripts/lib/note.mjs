import { readFileSync } from "node:fs";

/**
 * What a program has noted in a file for the next time. One that a power cut left empty, or half, is none.
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
