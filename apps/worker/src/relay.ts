import { stampAlarms, stampIntents, unalarmedRows, unqueuedIntents } from "@carillon/db";
import { alarmHorizonMs, alarmJob, intentJobs } from "@carillon/jobs";
import { intentPublications } from "@carillon/queue";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

const intervalMs = 1_000;
/** A request sets its own alarm and publishes its own intents; after so long it has not. */
const olderThanMs = 2_000;
const batch = 500;

/**
 * Puts into the queue what a commit left behind: alarms and intents without a stamp, because the process died after
 * the commit, the queue was away, or the row has only now come within the horizon. Several relays may run: they add
 * the same ids.
 */
export function startRelay(services: WorkerServices): Recurring {
  return every(intervalMs, "the relay", services.log, async (signal) => {
    await relayAlarms(services, signal);
    await relayIntents(services, signal);
  });
}

/** @param signal ends it between two batches: a backlog of many must not hold up the end of the process */
export async function relayAlarms(
  { db, queues, log }: WorkerServices,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const alarms = await unalarmedRows(db, {
      horizonMs: alarmHorizonMs,
      olderThanMs,
      limit: batch,
    });
    if (alarms.length === 0) return;
    const now = Date.now();
    await queues.publish(alarms.map((alarm) => alarmJob(alarm, now)));
    await stampAlarms(db, alarms);
    log.info({ alarms: alarms.length }, "the relay set alarms");
    if (alarms.length < batch) return;
  }
}

/** @param signal as of {@link relayAlarms} */
export async function relayIntents(
  { db, queues, log }: WorkerServices,
  signal?: AbortSignal,
): Promise<void> {
  const jobs = [...intentJobs.keys()];
  while (!signal?.aborted) {
    const intents = await unqueuedIntents(db, { jobs, olderThanMs, limit: batch });
    if (intents.length === 0) return;
    await queues.publish(intentPublications(intents));
    await stampIntents(db, intents);
    log.info({ intents: intents.length }, "the relay published intents");
    if (intents.length < batch) return;
  }
}
