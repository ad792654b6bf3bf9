import { clearIntents } from "@carillon/jobs";
import { clearDoneIntents } from "@carillon/outbox";
import type { RecurringTask } from "@carillon/scheduling";

import { deleteInBatches } from "../delete-in-batches.ts";

/** Deletes rows of `job_intent` that finished more than a day ago. */
export default {
  definition: clearIntents,
  async run(run) {
    const rows = await deleteInBatches(clearIntents, run, clearDoneIntents);
    if (rows > 0) run.log.debug({ rows }, "cleared finished intents");
  },
} satisfies RecurringTask;
