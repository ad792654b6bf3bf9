import { leads, type RecurringTask } from "@carillon/scheduling";
import { mergePendingWords } from "@carillon/domain";
import { fileSearchWords } from "@carillon/jobs";

/** Flushes the search index's list of pending entries, which every search reads (docs/decisions/022). */
export default {
  definition: fileSearchWords,
  async run({ db }) {
    await db.transaction(async (tx) => {
      if (await leads(tx, fileSearchWords)) await mergePendingWords(tx);
    });
  },
} satisfies RecurringTask;
