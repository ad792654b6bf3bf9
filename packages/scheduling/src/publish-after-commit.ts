import type { Database, PostCommitBus } from "@carillon/db";
import type { JobPublisher } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import {
  createIntentPublisher,
  createJobPublisher,
  intentsRecorded,
  jobsToAdd,
} from "@carillon/outbox";

import { deliveryScheduled } from "./delivery/delivery-jobs.ts";
import { createDeliveryJobPublisher, type DeliveryJobPublisher } from "./delivery/job-publisher.ts";

export interface PublishAfterCommitOptions {
  readonly db: Database;
  readonly log: Logger;
  /** By default the database's own bus. */
  readonly postCommit?: PostCommitBus | undefined;
  /** Without queues the relay adds all jobs. */
  readonly queues: JobPublisher | undefined;
}

/** The publishing of jobs right after the commits of this process. */
export interface AfterCommitPublisher {
  /**
   * How many jobs did not reach the queue right after their commit; the relay adds them. The keys are the kinds that
   * operators know from metrics: `alarms` counts delivery jobs.
   */
  missed(): { readonly alarms: number; readonly intents: number };
  /** As {@link DeliveryJobPublisher.hasAdded}; always false without queues. */
  hasDeliveryJob: DeliveryJobPublisher["hasAdded"];
  /** Unsubscribes, and resolves when every job received before has been tried. */
  close(): Promise<void>;
}

/** Puts the delivery jobs and the intents of this process's transactions into the queue after they have committed. */
export function publishJobsAfterCommit(options: PublishAfterCommitOptions): AfterCommitPublisher {
  const { db, queues, log, postCommit = db.postCommit } = options;
  if (!queues)
    return {
      missed: () => ({ alarms: 0, intents: 0 }),
      hasDeliveryJob: () => false,
      close: async () => {},
    };
  const deliveryJobs = createDeliveryJobPublisher({ queues, db, log });
  const intents = createIntentPublisher({ queues, db, log });
  const jobs = createJobPublisher({ queues, log });
  const subscriptions = [
    postCommit.subscribe(deliveryScheduled, (delivery) => deliveryJobs.add(delivery)),
    postCommit.subscribe(intentsRecorded, (recorded) => intents.add(recorded)),
    postCommit.subscribe(jobsToAdd, (added) => jobs.add(added)),
  ];
  return {
    missed: () => ({ alarms: deliveryJobs.missed, intents: intents.missed }),
    hasDeliveryJob: deliveryJobs.hasAdded,
    async close() {
      for (const unsubscribe of subscriptions) unsubscribe();
      await Promise.all([deliveryJobs.idle(), intents.idle(), jobs.idle()]);
    },
  };
}
