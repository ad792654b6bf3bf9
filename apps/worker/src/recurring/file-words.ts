import { leads, type RecurringTask } from "@carillon/scheduling";
import { fileWords } from "@carillon/domain";
import { fileSearchWords } from "@carillon/jobs";

/** Keeps the list short that every search reads (note 22). */
export default {
  definition: fileSearchWords,
  async run({ db }) {
    await db.transaction(async (tx) => {
      if (await leads(tx, fileSearchWords)) await fileWords(tx);
    });
  },
} satisfies RecurringTask;
