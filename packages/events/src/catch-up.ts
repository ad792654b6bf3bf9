import type { Sql } from "@carillon/db";

import { ageInLog, readLogFor } from "./log.ts";
import type { EventQueue } from "./queue-options.ts";
import type { Selection } from "./selection.ts";

/** Rows that are read in one go: parsing them keeps the event loop. */
const batch = 200;

/**
 * Adds what the log has for a queue that is further behind than a gateway remembers, from number `after` up to `until`:
 * one batch, or until the selection is full.
 * @returns up to where the queue has been served now; undefined when the log no longer reaches back so far
 */
export async function catchUp<Context>(
  sql: Sql,
  queue: EventQueue,
  selection: Selection<Context>,
  { after, until }: { after: number; until: number },
): Promise<number | undefined> {
  const { realmId, userId, options } = queue;
  const rows = await readLogFor(
    sql,
    { realmId, userId, allPublicChannels: options.allPublicChannels },
    { after, until, limit: batch },
  );
  // Afterwards: the log is cleared from its old end, so that nothing was missing before if the oldest is there now.
  if ((await ageInLog(sql, realmId, after + 1)) === undefined) return undefined;
  for (const { event } of rows) {
    selection.add(event);
    if (selection.isFull) return event.seq;
  }
  return rows.length < batch ? until : rows.at(-1)?.event.seq;
}
