import { stampIntents, type Database, type QueuedIntent } from "@carillon/db";
import { intentJobs, type IntentRef, type Publication } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { gather, type Gatherer } from "./gather.ts";
import { publishInTime } from "./publish-in-time.ts";
import type { Queues } from "./queues.ts";

/** The jobs of intents; those of a newer release are left for its processes. */
export function intentPublications(
  intents: readonly QueuedIntent[],
): Array<Publication<IntentRef>> {
  return intents.flatMap(({ intentId, version, job, delayMs }) => {
    const definition = intentJobs.get(job);
    return definition
      ? [{ job: definition, payload: { intentId, version }, delayMs: Math.max(0, delayMs) }]
      : [];
  });
}

/** Publishes the intents of this process's transactions right after their commits, as the alarm clock does alarms. */
export function publishIntents(options: {
  queues: Queues;
  db: Database;
  log: Logger;
}): Pick<Gatherer<QueuedIntent>, "missed" | "idle"> {
  const { queues, db, log } = options;
  const gatherer = gather<QueuedIntent>("intents", log, async (intents) => {
    await publishInTime(queues, intentPublications(intents));
    await stampIntents(db, intents);
  });
  db.outbox.listener = (intents) => gatherer.add(intents);
  return gatherer;
}
