import { followLogs, recordDueMails } from "@carillon/domain";
import { missedMessages } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

/** Events in a batch for each account in a batch. A batch has more events, because most of them lead to no mail. */
const eventsForEachAccount = 10;

/** Finds the accounts that have missed messages, and records the mails that are due (docs/decisions/060). */
export default {
  definition: missedMessages,
  async run({ db, batches, signal }) {
    try {
      await batches((size) => followLogs(db, size, signal));
    } finally {
      // Mails that are due are recorded even if a log cannot be read.
      await batches((size) => recordDueMails(db, size / eventsForEachAccount));
    }
  },
} satisfies RecurringTask;
