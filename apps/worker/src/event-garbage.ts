import { collectGarbage } from "@carillon/events";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

const intervalMs = 60_000;
/** Rounds in one go: what is left after them waits for the next minute. */
const rounds = 50;

/** Deletes dead event queues and events that nobody can ask for any more (events.md §6); one worker at a time does it. */
export function startGarbageCollection({ db, log }: WorkerServices): Recurring {
  return every(intervalMs, "the clearing of old events", log, async (signal) => {
    for (let round = 0; round < rounds && !signal.aborted; round++) {
      const deleted = await collectGarbage(db);
      if (!deleted || deleted.queues + deleted.events === 0) return;
      log.debug(deleted, "cleared dead event queues and old events");
    }
  });
}
