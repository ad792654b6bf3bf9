import type { Database } from "@carillon/db";
import { intentJobs, type IntentRef, type JobPublisher, type Publication } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { gather, type Gatherer } from "./gather.ts";
import { publishInTime } from "./publish-in-time.ts";
import type { QueuedIntent } from "./queued-intent.ts";
import { stampIntents } from "./stamp-intents.ts";

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

/** Puts intents that have just been committed into the queue, as the alarm publisher does alarms. */
export function createIntentPublisher(options: {
  queues: JobPublisher;
  db: Database;
  log: Logger;
}): Gatherer<QueuedIntent> {
  const { queues, db, log } = options;
  return gather<QueuedIntent>("intents", log, async (intents) => {
    await publishInTime(queues, intentPublications(intents));
    await stampIntents(db, intents);
  });
}
