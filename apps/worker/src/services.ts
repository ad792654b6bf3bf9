import type { Database } from "@carillon/db";
import type { Site } from "@carillon/model";
import type { Logger } from "@carillon/kit";
import type { Mailer } from "@carillon/mail";
import type { Queues } from "@carillon/queue";

import type { Bouncer } from "./bouncer.ts";
import type { LongTurns } from "./long-turns.ts";

/** One delivered batch. */
export interface Delivered {
  readonly sent: number;
  /** Why each message that was not sent was not. */
  readonly failures: readonly string[];
  /** Of each message sent: from its time to the commit. */
  readonly latenessSeconds: readonly number[];
}

/** What the processors of this process may use. */
export interface WorkerServices {
  readonly db: Database;
  readonly queues: Queues;
  readonly site: Site;
  readonly mailer: Mailer;
  /** Undefined where no push service is configured. */
  readonly bouncer?: Bouncer | undefined;
  readonly log: Logger;
  /** Which deliveries may go on for long; any, unless given. */
  readonly longTurns?: LongTurns;
  /** Told of every delivery, for the metrics. */
  readonly onDelivery?: (delivery: Delivered) => void;
}
