import type { Database } from "@carillon/db";
import type { Site } from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { Queues } from "@carillon/queue";

/** What the processors of this process may use. */
export interface WorkerServices {
  readonly db: Database;
  readonly queues: Queues;
  readonly site: Site;
  readonly log: Logger;
  /** Told of every delivery, for the metrics. */
  readonly onDelivery?: (delivery: { sent: number; failed: number; latenessSeconds: number }) => void;
}
