import { deliverDue, jobId, queueNames, type QueueName } from "@carillon/jobs";
import type { JobView, Queues } from "@carillon/queue";
import { onlyIds } from "../only-ids.ts";
import type { ScheduledView } from "./find-scheduled.ts";

/** A job in its queue. */
export interface FoundJob extends JobView {
  readonly queue: QueueName;
}

/** Finds the jobs of this id in all queues; queues that do not answer are skipped. */
export async function findJobs(queues: Queues, id: string): Promise<FoundJob[]> {
  const found = await Promise.all(queueNames.map((queue) => findJob(queues, queue, id)));
  return found.filter((job) => job !== undefined);
}

/** Finds the delivery jobs of a pending scheduled message: the one for all messages of its second, and its own. */
export async function findDeliveryJobs(queues: Queues, row: ScheduledView): Promise<FoundJob[]> {
  if (row.state !== "pending") return [];
  const { realmId, id: scheduledMessageId, version } = row;
  const payload = { realmId, second: Math.floor(row.deliverAt) };
  const ids = [
    jobId(deliverDue, payload),
    jobId(deliverDue, { ...payload, scheduledMessageId, version }),
  ];
  const found = await Promise.all(ids.map((id) => findJob(queues, deliverDue.queue, id)));
  return found.filter((job) => job !== undefined);
}

async function findJob(
  queues: Queues,
  queue: QueueName,
  id: string,
): Promise<FoundJob | undefined> {
  // On Redis some ids are the queue's own keys, not jobs.
  const job = await queues
    .queue(queue)
    .job(id)
    .catch(() => undefined);
  return job?.name ? { ...job, payload: onlyIds(job.payload), queue } : undefined;
}
