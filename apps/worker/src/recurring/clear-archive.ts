import { leads, type RecurringTask } from "@carillon/scheduling";
import { forgetDeletions, purgeArchive } from "@carillon/domain";
import { clearArchive } from "@carillon/jobs";

/** Deletes removed messages that can no longer be restored (channels.md §11), and the records of their deletions. */
export default {
  definition: clearArchive,
  async run({ db, log, batches }) {
    let messages = 0;
    await batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearArchive))) return "done";
        const purged = await purgeArchive(tx, size);
        messages += purged.messages;
        const more = await forgetDeletions(tx);
        return purged.more || more ? "more" : "done";
      }),
    );
    if (messages > 0) log.info({ messages }, "purged removed messages");
  },
} satisfies RecurringTask;
