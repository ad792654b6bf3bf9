import type { Database, Sql } from "@carillon/db";
import {
  deliverDue,
  deliveryJob,
  deliveryJobHorizonMs,
  type DeliverDue,
  type JobPublisher,
  type PendingDelivery,
  type Publication,
} from "@carillon/jobs";
import { type Clock, type Logger, systemClock } from "@carillon/kit";
import { type Batcher, createBatcher, publishInTime } from "@carillon/outbox";

import { stampDeliveryJobs } from "./delivery-jobs.ts";

/** How many ids of added jobs a process remembers, to add the job of each second once. */
const rememberedIds = 20_000;
/** How long it remembers them, in milliseconds: a queue that has been emptied needs its jobs again. */
const rememberedMs = 60_000;

/**
 * Milliseconds between two batches while many messages are scheduled: a batch costs two transactions whatever its size.
 * Far less than the age at which the relay adds a missing job.
 */
const pauseMs = 200;
/** Messages due within this many milliseconds are added without a pause. */
const urgentMs = 5_000;
/** Maximum milliseconds of a transaction: a job that is due later than that runs after the commit. */
const longestCommitMs = 60_000;

/** Adds delivery jobs right after the commit. */
export interface DeliveryJobPublisher extends Pick<Batcher<PendingDelivery>, "missed" | "idle"> {
  /** Never throws: if adding fails, the row stays unmarked and the relay adds its job. */
  add(delivery: PendingDelivery): void;
  /**
   * Returns whether this process has recently added the job of the second, so that a row can be inserted as having its job.
   * False for a job that could run before the transaction has committed.
   * @param deliverAt UNIX seconds
   */
  hasAdded(this: void, realmId: number, deliverAt: number): boolean;
}

/** Creates the publisher that adds delivery jobs after a commit, one for each organization and second. */
export function createDeliveryJobPublisher(options: {
  queues: JobPublisher;
  db: Database;
  log: Logger;
  clock?: Clock;
}): DeliveryJobPublisher {
  const { queues, db, log, clock = systemClock } = options;
  const addedIds = new Set<string>();
  let rememberedSince = clock.now();

  async function publish(deliveries: readonly PendingDelivery[]): Promise<void> {
    const now = clock.now();
    const near = deliveries.filter(
      ({ deliverAt }) => deliverAt * 1_000 <= now + deliveryJobHorizonMs,
    );
    forgetOld(now);
    await publishDeliveryJobs(db, addFresh, near, now);
  }

  function forgetOld(now: number): void {
    if (addedIds.size <= rememberedIds && Math.abs(now - rememberedSince) <= rememberedMs) return;
    addedIds.clear();
    rememberedSince = now;
  }

  function hasAdded(realmId: number, deliverAt: number): boolean {
    const now = clock.now();
    forgetOld(now);
    const second = Math.floor(deliverAt);
    return (
      deliverAt * 1_000 > now + longestCommitMs && addedIds.has(deliverDue.key({ realmId, second }))
    );
  }

  /** Adds the jobs that this process has not added lately. */
  async function addFresh(jobs: ReadonlyArray<Publication<DeliverDue>>): Promise<void> {
    const fresh = new Map<string, Publication<DeliverDue>>();
    for (const job of jobs) {
      const id = job.job.key(job.payload);
      if (!addedIds.has(id)) fresh.set(id, job);
    }
    if (fresh.size === 0) return;
    await publishInTime(queues, [...fresh.values()]);
    for (const id of fresh.keys()) addedIds.add(id);
  }

  const batcher = createBatcher("delivery jobs", log, publish, {
    pauseMs,
    isUrgent: ({ deliverAt }) => deliverAt * 1_000 < clock.now() + urgentMs,
  });

  return {
    get missed() {
      return batcher.missed;
    },
    add: (delivery) => batcher.add([delivery]),
    hasAdded,
    idle: () => batcher.idle(),
  };
}

/** Adds jobs to the queue. */
type Publish = (jobs: ReadonlyArray<Publication<DeliverDue>>) => Promise<void>;

/**
 * Adds the delivery jobs of rows to the queue and marks the rows. A process whose clock is behind may add a row to the
 * job of its second when that is running or has run. The database's clock shows it when the row is marked; such a row
 * gets its own job.
 * @param now UNIX milliseconds, by the clock that the queue compares with
 */
export async function publishDeliveryJobs(
  sql: Sql,
  publish: Publish,
  deliveries: readonly PendingDelivery[],
  now: number,
): Promise<void> {
  const tooSoon = await addAndStamp(sql, publish, deliveries, (row) => deliveryJob(row, now));
  const late = deliveries.filter(({ scheduledMessageId }) => tooSoon.has(scheduledMessageId));
  if (late.length > 0) await addAndStamp(sql, publish, late, (row) => deliveryJob(row, now, false));
}

async function addAndStamp(
  sql: Sql,
  publish: Publish,
  deliveries: readonly PendingDelivery[],
  jobOf: (delivery: PendingDelivery) => ReturnType<typeof deliveryJob>,
): Promise<Set<number>> {
  const added = deliveries.map((delivery) => ({ delivery, ...jobOf(delivery) }));
  await publish(
    added.map(({ job, payload, delayMs }) => ({ job, payload, delayMs: delayMs ?? 0 })),
  );
  return stampDeliveryJobs(sql, added);
}
