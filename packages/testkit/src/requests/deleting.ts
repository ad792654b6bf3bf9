import { unqueuedIntents } from "@carillon/outbox";
import type { Database } from "@carillon/db";
import { deleteMessages, type Publication } from "@carillon/jobs";

import { runJob } from "../jobs.ts";

/**
 * Runs the recorded deletions of messages without queues until they are finished.
 * @returns the number of jobs that ran, including children
 */
export async function deleteRecorded(db: Database): Promise<number> {
  let jobs = 0;
  for (;;) {
    const limits = { jobs: [deleteMessages.name], olderThanMs: 0, limit: 100 };
    const intents = await unqueuedIntents(db, limits);
    if (intents.length === 0) return jobs;
    for (const { intentId, version } of intents) {
      jobs++;
      const children = await childrenOf(runJob(db, deleteMessages, { intentId, version }));
      for (const { job, payload } of children) await runJob<unknown>(db, job, payload);
      jobs += children.length;
    }
  }
}

/** The child jobs that the run waits for; none if it has finished. */
export async function childrenOf(run: Promise<unknown>): Promise<readonly Publication[]> {
  const { AwaitChildren } = await import("@carillon/queue");
  try {
    await run;
    return [];
  } catch (error) {
    if (error instanceof AwaitChildren) return error.children;
    throw error;
  }
}
