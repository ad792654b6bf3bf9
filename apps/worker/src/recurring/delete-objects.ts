import { claimDueObjects, forgetObjects } from "@carillon/domain";
import { deleteObjects } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/**
 * Deletes unused objects of the file store (files.md §8). An interrupted run leaves claimed rows, with which the next run
 * begins.
 */
export default {
  definition: deleteObjects,
  run: ({ db, files, batches }) =>
    batches(async (size) => {
      const keys = await claimDueObjects(db, size);
      if (keys.length === 0) return "done";
      await files.delete(keys);
      await forgetObjects(db, keys);
      return keys.length < size ? "done" : "more";
    }),
} satisfies RecurringTask<WorkerServices>;
