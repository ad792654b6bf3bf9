import type { Database } from "@carillon/db";
import { intentJobs, type IntentRef, type JobPublisher, type Publication } from "@carillon/jobs";
import { type Logger, within } from "@carillon/kit";

import { type Batcher, createBatcher } from "./batcher.ts";
import type { QueuedIntent } from "./record-intents.ts";
import { stampIntents } from "./relay-intents.ts";

/** How long adding jobs after a commit may take, in milliseconds; then the relay adds them. */
const publishLimitMs = 250;

/**
 * Adds jobs to their queues within 250 ms.
 * @throws Error when it takes longer; the jobs may still arrive, and adding them again is harmless
 */
export async function publishInTime<Payload>(
  queues: JobPublisher,
  jobs: ReadonlyArray<Publication<Payload>>,
): Promise<void> {
  if (!(await within(queues.publish(jobs), publishLimitMs)))
    throw new Error(`the queue took longer than ${publishLimitMs} ms`);
}

/** Returns the jobs of the intents; jobs of a newer release are left to its processes. */
export function intentPublications(
  intents: readonly QueuedIntent[],
): Array<Publication<IntentRef>> {
  return intents.flatMap(({ intentId, version, job, delayMs, behind }) => {
    const definition = intentJobs.get(job);
    if (!definition) return [];
    const payload = { intentId, version };
    return [{ job: definition, payload, delayMs: Math.max(0, delayMs), behind }];
  });
}

/** Creates a batcher that adds the jobs of intents to the queue right after their commit. */
export function createIntentPublisher(options: {
  queues: JobPublisher;
  db: Database;
  log: Logger;
}): Batcher<QueuedIntent> {
  const { queues, db, log } = options;
  return createBatcher<QueuedIntent>("intents", log, async (intents) => {
    await publishInTime(queues, intentPublications(intents));
    await stampIntents(db, intents);
  });
}
