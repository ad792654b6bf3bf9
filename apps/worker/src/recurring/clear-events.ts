import type { RecurringTask } from "@carillon/scheduling";
import { collectGarbage } from "@carillon/events";
import { clearEvents } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";

/** Deletes dead event queues, and events that no queue or event subscription still needs (events.md §6). */
export default {
  definition: clearEvents,
  run: ({ db, log, batches, eventRetention }) =>
    batches(async () => {
      const deleted = await collectGarbage(db, eventRetention);
      if (!deleted || deleted.queues + deleted.events === 0) return "done";
      log.debug(deleted, "cleared dead event queues and old events");
      return "more";
    }),
} satisfies RecurringTask<Pick<WorkerServices, "eventRetention">>;
