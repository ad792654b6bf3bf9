import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import type { Site } from "@carillon/model";

import type { TextParser } from "../messages/send/text-parser.ts";

/** Maximum rows of one transaction. Large batches make delivery fast. */
export const deliveryBatch = 500;

/**
 * Bytes of text in one batch, unless its first row has more. 100,000 bytes of the most expensive Markdown take 100 ms to
 * parse. 500 short chat messages have about as many bytes.
 */
export const deliveryBytes = 100_000;

/**
 * Whether the queue has the job that delivers the organization's messages due at that second, so that a row due then needs
 * no other job. `deliverAt` is in UNIX seconds.
 */
export type HasDeliveryJob = (realmId: number, deliverAt: number) => boolean;

export interface DeliverOptions {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Where the queues are, for the delivery history; `unknown` unless given. */
  readonly backend?: string;
  /** Maximum rows of a batch; {@link deliveryBatch} unless given. */
  readonly batch?: number;
  /** Maximum bytes of text in a batch; {@link deliveryBytes} unless given. */
  readonly bytes?: number;
  /** Holds texts that were parsed before. */
  readonly parser?: TextParser;
  /** Unless given, every new row gets its own delivery job. */
  readonly hasDeliveryJob?: HasDeliveryJob | undefined;
  /** Aborts the delivery. Errors after that do not come from the rows, so they fail no row. */
  readonly signal?: AbortSignal;
}
