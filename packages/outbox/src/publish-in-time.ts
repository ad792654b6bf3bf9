import type { JobPublisher, Publication } from "@carillon/jobs";
import { within } from "@carillon/kit";

/** What a commit leaves behind gets this long to reach the queue, in milliseconds; then the relay has it. */
const capMs = 250;

/**
 * @throws Error when the queue took longer; the jobs may still arrive, and adding them again is harmless
 */
export async function publishInTime<Payload>(
  queues: JobPublisher,
  jobs: ReadonlyArray<Publication<Payload>>,
): Promise<void> {
  if (!(await within(queues.publish(jobs), capMs)))
    throw new Error(`the queue took longer than ${capMs} ms`);
}
