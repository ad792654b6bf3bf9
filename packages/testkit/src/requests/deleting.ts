import { unqueuedIntents } from "@carillon/outbox";
import type { Database } from "@carillon/db";
import { deleteMessages, type Publication } from "@carillon/jobs";

import { runJob } from "../jobs.ts";

/**
 * Runs what the recorded deletions of messages come to, without queues, until they are finished.
 * @returns how many jobs that took, children included
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

/** The jobs that the run waits for; none where it has come to its end. */
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
