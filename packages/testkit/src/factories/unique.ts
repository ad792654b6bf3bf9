import { randomBytes } from "node:crypto";

let count = 0;
/** Distinguishes processes that share a database. */
const run = randomBytes(3).toString("hex");

/** Returns a unique name, such as `prefix-1-a0b1c2`, short enough for every column. */
export function unique(prefix: string): string {
  return `${prefix}-${++count}-${run}`;
}
