import type { Database } from "@carillon/db";
import type { EventRetention } from "@carillon/events";
import type { Site } from "@carillon/model";
import type { FileStore } from "@carillon/files";
import type { Logger } from "@carillon/kit";
import type { Mailer } from "@carillon/mail";
import type { OutgoingClient } from "@carillon/outgoing";
import type { Queues } from "@carillon/queue";
import type { DeliveryJobPublisher } from "@carillon/scheduling";

import type { Bouncer } from "./bouncer.ts";
import type { LongRunSlots } from "./long-run-slots.ts";

/** Counts of one delivered batch, for the metrics. */
export interface Delivered {
  readonly sent: number;
  /** The cause of each failure. */
  readonly failures: readonly string[];
  /** The kind of the condition of each message that was withheld. */
  readonly withheld: readonly string[];
  /** How each occurrence of a series has ended. */
  readonly occurrences: readonly string[];
  /** Seconds from the due time to the commit, of each sent message. */
  readonly latenessSeconds: readonly number[];
}

/** A call of an endpoint. `seconds`: 0 if none was made. */
export interface CallMade {
  /** What was sent: a message to an outgoing webhook bot, or events or a ping to an event subscription. */
  readonly kind: "webhook" | "events" | "ping";
  readonly outcome: string;
  readonly seconds: number;
}

/** What the processors of this process may use. */
export interface WorkerServices {
  readonly db: Database;
  readonly queues: Queues;
  readonly site: Site;
  readonly mailer: Mailer;
  /** Holds uploaded files. */
  readonly files: FileStore;
  /** Milliseconds of decoding a picture for which a request waits; 8,000 unless given. */
  readonly pictureTimeoutMs?: number;
  /** Undefined if no push service is configured. */
  readonly bouncer?: Bouncer | undefined;
  /** Days without a request after which a person is away; 0 for never. Default: 14. */
  readonly awayAfterDays?: number;
  /** Calls endpoints that members have set. */
  readonly outgoing: { readonly client: Pick<OutgoingClient, "post">; readonly timeoutMs: number };
  /** Days without a successful delivery after which an event subscription is disabled; 3 unless given. */
  readonly subscriptionDisableDays?: number;
  /** Limits on the events that are kept for subscriptions; the defaults of `collectGarbage` unless given. */
  readonly eventRetention?: EventRetention;
  readonly log: Logger;
  /** Whether this process has lately added the delivery job of a second; false unless given. */
  readonly hasDeliveryJob?: DeliveryJobPublisher["hasAdded"];
  /** Limits long deliveries; unlimited unless given. */
  readonly longRuns?: LongRunSlots;
  /** Called after every delivered batch, for the metrics. */
  readonly onDelivery?: (delivery: Delivered) => void;
  /** Called after every call of an endpoint, for the metrics. */
  readonly onCall?: (call: CallMade) => void;
}
