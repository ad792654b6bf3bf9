import type { Tx } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { oldestInLog, readHead, readLogFor } from "./log.ts";
import { skippingFailures, type Presenter } from "./present.ts";
import type { EventQueue } from "./queue-options.ts";
import { Selection } from "./selection.ts";

/** Maximum events of a batch. */
const maxEvents = 100;
/** Maximum bytes of the events of a batch with more than one event. The rest of a request fits into 1 MB with them. */
const maxBytes = 990_000;
/** Maximum numbers of the log that one batch covers. */
const maxPassed = 1_000;
/**
 * Rows per query. Parsing them blocks the event loop. One more than a batch holds: the event that finds it full is read
 * by the same query.
 */
const rowsAtOnce = maxEvents + 1;
/** Bytes of the payloads of a query, the last one not counted: a hundred rows of 1 MB would take 500 MB of memory. */
const bytesAtOnce = 1_000_000;

/** A batch of events, as JSON. */
export interface EventBatch {
  /** JSON texts, oldest first. */
  readonly events: readonly string[];
  /** Ids of the first and the last event; undefined if there is none. */
  readonly firstId: number | undefined;
  readonly lastId: number | undefined;
  /** The number up to which the log was read; the next batch begins after it. */
  readonly reached: number;
  /** The number after which the batch was read. Later than requested if the log no longer has the requested events. */
  readonly from: number;
  /** The last number of the log. */
  readonly head: number;
}

/** Which part of the log a batch is read from. */
export interface BatchRange {
  readonly realmId: number;
  readonly after: number;
  /** The end of a batch that was read before; undefined for a new batch, which ends where it is full. */
  readonly until?: number | undefined;
}

/** The queues whose events a batch has. */
export interface BatchQueues {
  /** Returns the queue that gets the event of a number: its options may have changed since. */
  queueAt(seq: number): EventQueue;
  /** Whether any of the queues listens to all public channels. */
  readonly allPublicChannels: boolean;
}

/**
 * Reads events of the log as polls of a queue would get them: at most 100, and 1 MB if there is more than one.
 * @param tx repeatable read: the log must not be cleared between two statements
 * @param reading the queues, which the same transaction is reading; undefined if the subscription was deleted
 */
export async function readBatch<Context>(
  tx: Tx,
  { presenter, log }: { readonly presenter: Presenter<Context>; readonly log: Logger },
  reading: Promise<BatchQueues | undefined>,
  { realmId, after, until }: BatchRange,
): Promise<EventBatch | undefined> {
  // One round trip for all of them.
  const [queues, head, oldest, context] = await Promise.all([
    reading,
    readHead(tx, realmId),
    oldestInLog(tx, realmId),
    presenter.context(realmId),
  ]);
  if (!queues) return undefined;
  const { allPublicChannels } = queues;
  const { userId } = queues.queueAt(after + 1);
  const from = Math.max(after, Math.min(head, (oldest?.seq ?? head + 1) - 1));
  const end = until ?? Math.min(head, from + maxPassed);
  const skipping = skippingFailures(presenter, log);
  const events: string[] = [];
  const ids: number[] = [];
  let bytes = 0;
  let reached = from;
  while (reached < end) {
    const { rows, hasMore } = await readLogFor(
      tx,
      { realmId, userId, allPublicChannels },
      { after: reached, until: end, limit: rowsAtOnce, maxBytes: bytesAtOnce },
    );
    for (const { event } of rows) {
      const selection = new Selection(queues.queueAt(event.seq), skipping, context);
      selection.add(event);
      const texts = selection.events.map((one) => JSON.stringify(one));
      const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
      const isFull = events.length + texts.length > maxEvents || bytes + size > maxBytes;
      if (until === undefined && isFull && events.length > 0)
        return { events, firstId: ids[0], lastId: ids.at(-1), reached: event.seq - 1, from, head };
      events.push(...texts);
      ids.push(...selection.events.map(({ id }) => id));
      bytes += size;
      reached = event.seq;
    }
    if (!hasMore) reached = end;
  }
  return { events, firstId: ids[0], lastId: ids.at(-1), reached, from, head };
}
