import type { Sql } from "@carillon/db";

import { ageInLog, readLogFor } from "./log.ts";
import type { EventQueue } from "./queue-options.ts";
import type { Selection } from "./selection.ts";

/** Rows per query. Parsing them blocks the event loop. */
const batch = 200;

/**
 * Adds events from the log to the selection, for a queue that is further behind than the gateway's memory. Reads the
 * numbers after `after` up to `until`, at most one batch, and stops when the selection is full.
 * @returns the number up to which the queue has been served; undefined when the log no longer reaches back so far
 */
export async function catchUp<Context>(
  sql: Sql,
  queue: EventQueue,
  selection: Selection<Context>,
  { after, until }: { after: number; until: number },
): Promise<number | undefined> {
  const { realmId, userId, options } = queue;
  const { rows, hasMore } = await readLogFor(
    sql,
    { realmId, userId, allPublicChannels: options.allPublicChannels },
    { after, until, limit: batch, maxBytes: Number.MAX_SAFE_INTEGER },
  );
  // Checked after reading: the log is cleared from its oldest row. If row `after + 1` exists now, none was missing.
  if ((await ageInLog(sql, realmId, after + 1)) === undefined) return undefined;
  for (const { event } of rows) {
    selection.add(event);
    if (selection.isFull) return event.seq;
  }
  return hasMore ? rows.at(-1)?.event.seq : until;
}
