import { clearExpiredKeys, type ClearedKeys } from "@carillon/domain";
import { leads, type RecurringTask } from "@carillon/scheduling";
import { clearIdempotencyKeys } from "@carillon/jobs";

/** Deletes answers that requests with an `Idempotency-Key` no longer get (once-and-again.md §1). */
export default {
  definition: clearIdempotencyKeys,
  async run({ db, batches }) {
    let before: ClearedKeys | undefined;
    await batches(async (size) => {
      before = await db.transaction(async (tx) =>
        (await leads(tx, clearIdempotencyKeys)) ? clearExpiredKeys(tx, size, before) : undefined,
      );
      return before?.count === size ? "more" : "done";
    });
  },
} satisfies RecurringTask;
