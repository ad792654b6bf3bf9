import type { LogRow } from "./log.ts";

/** Receivers per part. Each receiver is looked up without yielding to the event loop. */
const receiversPerSlice = 20_000;

/**
 * Splits rows into parts that are published without a pause, each with a limited number of receivers.
 * @param allReceivers how many polls receive an event without an audience
 */
export function inParts(rows: readonly LogRow[], allReceivers: number): Array<readonly LogRow[]> {
  const parts: Array<readonly LogRow[]> = [];
  let begin = 0;
  let receivers = 0;
  for (const [i, { event }] of rows.entries()) {
    receivers += event.audience?.length ?? allReceivers;
    if (receivers < receiversPerSlice && i < rows.length - 1) continue;
    parts.push(rows.slice(begin, i + 1));
    begin = i + 1;
    receivers = 0;
  }
  return parts;
}
