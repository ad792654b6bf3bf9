import type { Database } from "@carillon/db";
import { makePictures } from "@carillon/jobs";
import { intentsRecorded } from "@carillon/outbox";
import { runJob } from "./jobs.ts";

/**
 * Runs the jobs that make pictures for the requests of gateways on the database, as a worker does, while the tests of the
 * enclosing `describe` run.
 */
export function usePictureWorker(db: Database): void {
  const running = new Set<Promise<unknown>>();
  let unsubscribe: (() => void) | undefined;
  before("make pictures", () => {
    unsubscribe = db.postCommit.subscribe(intentsRecorded, (intents) => {
      for (const { job, intentId, version } of intents) {
        if (job !== makePictures.name) continue;
        const run = runJob(db, makePictures, { intentId, version }).finally(() =>
          running.delete(run),
        );
        running.add(run);
      }
    });
  });
  after("stop making pictures", async () => {
    unsubscribe?.();
    await Promise.allSettled(running);
  });
}
