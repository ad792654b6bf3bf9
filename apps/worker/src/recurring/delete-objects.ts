import { claimDueObjects, forgetObjects } from "@carillon/domain";
import { deleteObjects } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/**
 * Deletes objects of the file store that nothing uses (files.md §8). A run that ends between its steps leaves claimed
 * rows, with which the next one begins.
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
