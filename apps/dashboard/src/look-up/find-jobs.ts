import { deliverDue, jobId, queueNames, type QueueName } from "@carillon/jobs";
import type { JobView, Queues } from "@carillon/queue";
import { onlyIds } from "../only-ids.ts";
import type { ScheduledView } from "./find-scheduled.ts";

/** A job as it is in its queue. */
export interface FoundJob extends JobView {
  readonly queue: QueueName;
}

/** The jobs of this id, in whichever queue; a queue that does not answer has none. */
export async function findJobs(queues: Queues, id: string): Promise<FoundJob[]> {
  const found = await Promise.all(queueNames.map((queue) => findJob(queues, queue, id)));
  return found.filter((job) => job !== undefined);
}

/** The delivery jobs that a pending scheduled message may have: that of its second, and its own. */
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
  // On Redis some ids are the names of the queue's own keys: no jobs, and some of them no hashes.
  const job = await queues
    .queue(queue)
    .job(id)
    .catch(() => undefined);
  return job?.name ? { ...job, payload: onlyIds(job.payload), queue } : undefined;
}
