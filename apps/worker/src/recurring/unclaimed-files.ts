import { findUnclaimed, removeUnclaimed } from "@carillon/domain";
import { unclaimedFiles } from "@carillon/jobs";
import { addToCounter, leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes uploaded files that are older than 5 weeks and that nothing links to (files.md §4). */
export default {
  definition: unclaimedFiles,
  async run({ db, log, batches }) {
    let after = 0;
    let files = 0;
    await batches(async (size) => {
      const { ids, next } = await findUnclaimed(db, after, size);
      const removed = await db.transaction(async (tx) =>
        (await leads(tx, unclaimedFiles)) ? removeUnclaimed(tx, ids) : undefined,
      );
      files += removed ?? 0;
      if (removed === undefined || next === undefined) return "done";
      after = next;
      return "more";
    });
    if (files === 0) return;
    await addToCounter(db, "unclaimed_files", files);
    log.info({ files }, "deleted unclaimed files");
  },
} satisfies RecurringTask;
