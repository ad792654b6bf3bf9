import { leads, type RecurringTask } from "@carillon/scheduling";
import { indexMessages } from "@carillon/domain";
import { indexMessagesForSearch } from "@carillon/jobs";

/** Indexes messages that have no search vector yet (messages.md §5). */
export default {
  definition: indexMessagesForSearch,
  async run({ db, log, batches }) {
    let messages = 0;
    await batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, indexMessagesForSearch))) return "done";
        const indexed = await indexMessages(tx, size);
        messages += indexed;
        return indexed === size ? "more" : "done";
      }),
    );
    if (messages > 0) log.info({ messages }, "indexed messages for search");
  },
} satisfies RecurringTask;
