import { clearRequests, deleteFormerPictures } from "@carillon/domain";
import { clearPictures } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

/** Deletes replaced avatars, icons and logos after 30 days (files.md §6), and requests for pictures whose gateway was killed. */
export default {
  definition: clearPictures,
  run: ({ db, batches }) =>
    batches(async (size) => {
      const pictures = await deleteFormerPictures(db, size);
      const requests = await clearRequests(db, size);
      return Math.max(pictures, requests) < size ? "done" : "more";
    }),
} satisfies RecurringTask;
