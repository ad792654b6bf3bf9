import { clearInvitations as clear } from "@carillon/domain";
import { clearInvitations } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes links that ended long ago, and counts of mails that are older than any rate rule. */
export default {
  definition: clearInvitations,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearInvitations))) return "done";
        return (await clear(tx, size)) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
