import { leads, type RecurringTask } from "@carillon/scheduling";
import { countMessages } from "@carillon/domain";
import { countTraffic } from "@carillon/jobs";

/** Counts the messages to each channel on each day (channels.md §11). */
export default {
  definition: countTraffic,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, countTraffic))) return "done";
        return (await countMessages(tx, size)) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
