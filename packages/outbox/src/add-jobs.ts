import { PostCommitTopic, type Tx } from "@carillon/db";
import type { JobPublisher, Publication } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { type Batcher, createBatcher } from "./batcher.ts";
import { publishInTime } from "./publish-intents.ts";

/** Published after a commit of rows that serve as intents themselves and have their own relay. */
export const jobsToAdd = new PostCommitTopic<readonly Publication[]>("jobs to add");

/**
 * Adds jobs to their queues once the transaction has committed. Records no intents: a relay must find the rows whose jobs
 * were not added.
 */
export function addJobsAfterCommit<Payload>(
  tx: Tx,
  jobs: ReadonlyArray<Publication<Payload>>,
): void {
  if (jobs.length > 0) tx.publishAfterCommit(jobsToAdd, jobs);
}

/** Creates a batcher that adds such jobs right after their commit. */
export function createJobPublisher(options: {
  queues: JobPublisher;
  log: Logger;
}): Batcher<Publication> {
  const { queues, log } = options;
  return createBatcher<Publication>("jobs", log, (jobs) => publishInTime(queues, jobs));
}
