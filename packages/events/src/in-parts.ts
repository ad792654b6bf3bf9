import type { LogRow } from "./log.ts";

/** Receivers of the events that are told in one go: each of them is looked at, and others want their turn. */
const tellSlice = 20_000;

/**
 * Rows that are told together: with their receivers few enough not to keep others waiting.
 * @param everybody how many polls an event concerns that is for all
 */
export function inParts(rows: readonly LogRow[], everybody: number): Array<readonly LogRow[]> {
  const parts: Array<readonly LogRow[]> = [];
  let begin = 0;
  let receivers = 0;
  for (const [i, { event }] of rows.entries()) {
    receivers += event.audience?.length ?? everybody;
    if (receivers < tellSlice && i < rows.length - 1) continue;
    parts.push(rows.slice(begin, i + 1));
    begin = i + 1;
    receivers = 0;
  }
  return parts;
}
