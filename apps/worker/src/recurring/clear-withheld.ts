import { clearWithheld } from "@carillon/domain";
import { clearWithheldMessages } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes records of withheld messages that their senders can no longer list. */
export default {
  definition: clearWithheldMessages,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearWithheldMessages))) return "done";
        return (await clearWithheld(tx, size)) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
