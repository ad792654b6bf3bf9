import { addToCounter, type RecurringTask } from "@carillon/scheduling";
import { sweepRetention } from "@carillon/domain";
import { retention } from "@carillon/jobs";

/** Removes what channels and organizations keep no longer (channels.md §11). */
export default {
  definition: retention,
  async run({ db, log, signal }) {
    const messages = await sweepRetention({ db, log, signal });
    if (messages === 0) return;
    await addToCounter(db, "retention_removals", messages);
    log.info({ messages }, "removed messages that are kept no longer");
  },
} satisfies RecurringTask;
