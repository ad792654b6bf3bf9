import { clearHistory, foldBatches, leads, type RecurringTask } from "@carillon/scheduling";
import { foldDeliveries } from "@carillon/jobs";

/** Aggregates the history of deliveries into a bounded number of rows. */
export default {
  definition: foldDeliveries,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, foldDeliveries))) return "done";
        if ((await foldBatches(tx, size)) === size) return "more";
        await clearHistory(tx);
        return "done";
      }),
    ),
} satisfies RecurringTask;
