import { clearExpiredKeys } from "@carillon/domain";
import { clearIdempotencyKeys } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import { deleteInBatches } from "../delete-in-batches.ts";

/** Deletes answers that requests with an `Idempotency-Key` no longer get (once-and-again.md §1). */
export default {
  definition: clearIdempotencyKeys,
  async run(run) {
    await deleteInBatches(clearIdempotencyKeys, run, clearExpiredKeys);
  },
} satisfies RecurringTask;
