import type { Tx } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/**
 * Makes a task that processes rows, one batch in each transaction, while this process leads the recurring work.
 * @param work returns how many rows it has processed; fewer than `size` end the run
 */
export function taskInBatches(
  definition: RecurringDefinition,
  work: (tx: Tx, size: number) => Promise<number>,
): RecurringTask {
  return {
    definition,
    run: ({ db, batches }) =>
      batches((size) =>
        db.transaction(async (tx) => {
          if (!(await leads(tx, definition))) return "done";
          return (await work(tx, size)) < size ? "done" : "more";
        }),
      ),
  };
}
