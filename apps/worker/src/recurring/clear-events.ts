import type { RecurringTask } from "@carillon/scheduling";
import { collectGarbage } from "@carillon/events";
import { clearEvents } from "@carillon/jobs";

/** Deletes dead event queues, and events that no queue still needs (events.md §6). */
export default {
  definition: clearEvents,
  run: ({ db, log, batches }) =>
    batches(async () => {
      const deleted = await collectGarbage(db);
      if (!deleted || deleted.queues + deleted.events === 0) return "done";
      log.debug(deleted, "cleared dead event queues and old events");
      return "more";
    }),
} satisfies RecurringTask;
