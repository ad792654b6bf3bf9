import { clearAttempts, type ClearedAttempts } from "@carillon/domain";
import { clearSignIns } from "@carillon/jobs";
import { leads, type RecurringTask } from "@carillon/scheduling";

/** Deletes sign-ins that were begun and not finished (people.md §5). */
export default {
  definition: clearSignIns,
  async run({ db, batches }) {
    let before: ClearedAttempts | undefined;
    await batches(async (size) => {
      before = await db.transaction(async (tx) =>
        (await leads(tx, clearSignIns)) ? clearAttempts(tx, size, before) : undefined,
      );
      return before?.count === size ? "more" : "done";
    });
  },
} satisfies RecurringTask;
