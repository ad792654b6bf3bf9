import { clearCalls as clear, repairCalls } from "@carillon/domain";
import { clearCalls } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes old calls and attempts, and repairs calls that wait for an earlier one that no longer exists. */
export default {
  definition: clearCalls,
  run: ({ db, log, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearCalls))) return "done";
        const repaired = await repairCalls(tx, size);
        if (repaired > 0) log.warn({ calls: repaired }, "calls waited for no earlier call");
        return (await clear(tx, size)) < size && repaired < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
