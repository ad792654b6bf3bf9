import { randomBytes } from "node:crypto";

let count = 0;
/** Apart from other processes that fill the same database. */
const run = randomBytes(3).toString("hex");

/** A name that no other call gives: `prefix-1-a0b1c2`, short enough for every column. */
export function unique(prefix: string): string {
  return `${prefix}-${++count}-${run}`;
}
