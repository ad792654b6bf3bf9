import { claimDueObjects, forgetObjects } from "@carillon/domain";
import { StorageUnavailable } from "@carillon/files";
import { deleteObjects } from "@carillon/jobs";
import { addToCounter, type RecurringTask } from "@carillon/scheduling";

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
      try {
        await files.delete(keys);
      } catch (error) {
        // `watchStore` has logged the error. The next run tries again.
        if (error instanceof StorageUnavailable) return "done";
        throw error;
      }
      await forgetObjects(db, keys);
      await addToCounter(db, "deleted_objects", keys.length);
      return keys.length < size ? "done" : "more";
    }),
} satisfies RecurringTask<WorkerServices>;
