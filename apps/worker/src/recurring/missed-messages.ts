import { followLogs, recordDueMails } from "@carillon/domain";
import { missedMessages } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

/** A transaction handles this many times more events than accounts: most events are of no account. */
const eventsForEachAccount = 10;

/** Finds the accounts that have missed messages, and records the mails that are due (docs/decisions/060). */
export default {
  definition: missedMessages,
  async run({ db, batches, signal }) {
    try {
      await batches((size) => followLogs(db, size, signal));
    } finally {
      // A log that cannot be followed does not hold up mails that are due.
      await batches((size) => recordDueMails(db, size / eventsForEachAccount));
    }
  },
} satisfies RecurringTask;
