import { deferCopiesOfAbsent } from "@carillon/domain";
import { deferCopies } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/** Defers the copies of messages for people who are away (docs/decisions/083). */
export default {
  definition: deferCopies,
  async run({ db, log, signal, awayAfterDays = 14 }) {
    const subscriptions = await deferCopiesOfAbsent({ db, signal, days: awayAfterDays });
    if (subscriptions > 0) log.info({ subscriptions }, "deferred copies of people who are away");
  },
} satisfies RecurringTask<WorkerServices>;
