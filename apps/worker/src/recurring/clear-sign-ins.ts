import { clearAttempts } from "@carillon/domain";
import { clearSignIns } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import { deleteInBatches } from "../delete-in-batches.ts";

/** Deletes sign-ins that were begun and not finished (people.md §5). */
export default {
  definition: clearSignIns,
  async run(run) {
    await deleteInBatches(clearSignIns, run, clearAttempts);
  },
} satisfies RecurringTask;
