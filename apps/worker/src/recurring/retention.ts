import { addToCounter, type RecurringTask } from "@carillon/scheduling";
import { sweepRetention } from "@carillon/domain";
import { retention } from "@carillon/jobs";

/** Removes messages past the retention of their channel or organization (channels.md §11). */
export default {
  definition: retention,
  async run({ db, log, signal }) {
    const messages = await sweepRetention({ db, log, signal });
    if (messages === 0) return;
    await addToCounter(db, "retention_removals", messages);
    log.info({ messages }, "removed messages past their retention");
  },
} satisfies RecurringTask;
