import { clearDoneIntents, type ClearedIntents } from "@carillon/outbox";
import { leads, type RecurringTask } from "@carillon/scheduling";
import { clearIntents } from "@carillon/jobs";

/** Deletes rows of `job_intent` that finished more than a day ago. */
export default {
  definition: clearIntents,
  async run({ db, log, batches }) {
    let rows = 0;
    let before: ClearedIntents | undefined;
    await batches(async (size) => {
      before = await db.transaction(async (tx) =>
        (await leads(tx, clearIntents)) ? clearDoneIntents(tx, before) : undefined,
      );
      rows += before?.count ?? 0;
      return before?.count === size ? "more" : "done";
    });
    if (rows > 0) log.debug({ rows }, "cleared finished intents");
  },
} satisfies RecurringTask;
