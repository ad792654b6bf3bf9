import { leads, type RecurringTask } from "@carillon/scheduling";
import { expireRegistrations } from "@carillon/domain";
import { expirePushRegistrations } from "@carillon/jobs";

/** Expires push registrations that have been pending for a day, so that the devices can register again (push.md §3). */
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
