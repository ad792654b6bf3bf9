import { expireResumable } from "@carillon/domain";
import { expireResumableUploads } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

/** Deletes resumable uploads that have expired (files.md §7). */
export default {
  definition: expireResumableUploads,
  run: ({ db, batches }) =>
    batches(async (size) => ((await expireResumable(db, size)) < size ? "done" : "more")),
} satisfies RecurringTask;
