import { checkPayload, jobId, type Publication, type QueueName } from "@carillon/jobs";
import type { Job, JobsOptions, Queue } from "bullmq";

/** Jobs per batch; each batch is one round trip. */
const batch = 1_000;

/**
 * Fewer jobs than this are added one by one. On PostgreSQL a batch costs 4 ms whatever its size, because it creates
 * temporary tables; a single job costs 1 ms, and a batch of a hundred 0.12 ms per job.
 */
const minBatch = 4;

/** Seconds that failed jobs are kept, as evidence. */
const keepFailedSeconds = 14 * 24 * 3_600;

/** The custom backoff of `worker.ts`, under the name that the queue stores. */
export const backoffName = "declared";

export interface Addition {
  name: string;
  data: unknown;
  opts: JobsOptions;
}

/**
 * Returns the arguments of BullMQ's `add` for one job.
 * @throws InvalidPayload, or RangeError for an id that the queue would refuse
 */
export function addition({
  job,
  payload,
  delayMs = 0,
  id,
  yields = job.yields,
  behind = 0,
}: Publication): Addition {
  const data = checkPayload(job, payload);
  return {
    name: job.name,
    data,
    opts: {
      jobId: jobId(job, data, id),
      // Rounded up, because a job must not run early and PostgreSQL refuses fractions.
      delay: Math.max(0, Math.ceil(delayMs)),
      attempts: job.retry.attempts,
      backoff: { type: backoffName },
      // By age, never by count: PostgreSQL evaluates a count at every completion.
      removeOnComplete:
        job.keepCompletedMs === 0 ? true : { age: Math.ceil(job.keepCompletedMs / 1_000) },
      removeOnFail: { age: keepFailedSeconds },
      // Jobs without a priority go first: BullMQ takes 0 before 1.
      ...(yields ? { priority: 1 + behind } : {}),
      stackTraceLimit: 10,
      keepLogs: 100,
      sizeLimit: 4_096,
    },
  };
}

/**
 * Adds jobs, each queue in as few round trips as possible; resolves when all have been added. Validates all jobs
 * before it adds the first.
 * @throws InvalidPayload or RangeError for invalid jobs, or the store's error while it is unavailable
 */
export async function publishTo(
  queues: ReadonlyMap<QueueName, Queue>,
  items: readonly Publication[],
): Promise<void> {
  const byQueue = new Map<QueueName, Addition[]>();
  for (const item of items) {
    const list = byQueue.get(item.job.queue);
    if (list) list.push(addition(item));
    else byQueue.set(item.job.queue, [addition(item)]);
  }
  await Promise.all(
    [...byQueue].map(async ([name, additions]) => {
      const queue = queues.get(name);
      if (!queue) throw new Error(`there is no queue ${name}`);
      if (additions.length < minBatch) {
        await Promise.all(additions.map(({ name: job, data, opts }) => queue.add(job, data, opts)));
        return;
      }
      for (let from = 0; from < additions.length; from += batch) {
        await queue.addBulk(additions.slice(from, from + batch));
      }
    }),
  );
}

/**
 * Adds jobs to the parent's own queue as its children. A child that fails for good does not keep the parent waiting:
 * the parent reads the results of its children from their rows.
 * @throws Error for jobs of another queue; else as {@link publishTo}
 */
export async function publishChildren(
  queues: ReadonlyMap<QueueName, Queue>,
  parent: Pick<Job, "id" | "queueName" | "queueQualifiedName">,
  items: readonly Publication[],
): Promise<void> {
  const foreign = items.find(({ job }) => job.queue !== parent.queueName);
  if (foreign) throw new Error(`${foreign.job.name} belongs to another queue than its parent`);
  const queue = [...queues.values()].find(({ name }) => name === parent.queueName);
  if (!queue || parent.id === undefined) throw new Error(`there is no queue ${parent.queueName}`);
  const link = { id: parent.id, queue: parent.queueQualifiedName };
  const additions = items.map(addition).map(({ name, data, opts }) => ({
    name,
    data,
    opts: { ...opts, parent: link, ignoreDependencyOnFailure: true },
  }));
  for (let from = 0; from < additions.length; from += batch)
    await queue.addBulk(additions.slice(from, from + batch));
}
