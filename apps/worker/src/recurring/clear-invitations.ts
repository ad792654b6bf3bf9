import { clearInvitations as clear } from "@carillon/domain";
import { clearInvitations } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes links that are over, and counts of mails that no rate rule looks at any more. */
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
