import { clearBindings } from "@carillon/domain";
import { clearUpserts } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes upsert keys that no request has used for 30 days. */
export default {
  definition: clearUpserts,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearUpserts))) return "done";
        return (await clearBindings(tx, size)) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
