import type { DeletedRows, Tx } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";
import { leads, type RecurringRun } from "@carillon/scheduling";

/**
 * Deletes old rows, one batch in each transaction, while this process leads the recurring work.
 * @param remove deletes a batch of the rows after the previous batch, `before`
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  definition: RecurringDefinition,
  { db, batches }: Pick<RecurringRun, "db" | "batches">,
  remove: (tx: Tx, size: number, before?: DeletedRows) => Promise<DeletedRows>,
): Promise<number> {
  let rows = 0;
  let before: DeletedRows | undefined;
  await batches(async (size) => {
    before = await db.transaction(async (tx) =>
      (await leads(tx, definition)) ? remove(tx, size, before) : undefined,
    );
    rows += before?.count ?? 0;
    return before?.count === size ? "more" : "done";
  });
  return rows;
}
