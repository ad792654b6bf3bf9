import { PostCommitTopic, type Tx } from "@carillon/db";
import type { JobPublisher, Publication } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { type Batcher, createBatcher } from "./batcher.ts";
import { publishInTime } from "./publish-intents.ts";

/** Published after a commit that wrote rows which are their own intents, and have a relay of their own. */
export const jobsToAdd = new PostCommitTopic<readonly Publication[]>("jobs to add");

/**
 * Adds jobs to their queues once the transaction has committed. A relay must find the rows whose jobs did not get there:
 * no intent is recorded.
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
