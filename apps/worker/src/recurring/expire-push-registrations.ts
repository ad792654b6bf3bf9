import { leads, type RecurringTask } from "@carillon/scheduling";
import { expireRegistrations } from "@carillon/domain";
import { expirePushRegistrations } from "@carillon/jobs";

/** Lets devices register again on whose registration nobody has decided for a day (push.md §3). */
export default {
  definition: expirePushRegistrations,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, expirePushRegistrations))) return "done";
        return (await expireRegistrations(tx, size)) === 0 ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
