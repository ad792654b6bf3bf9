import { stampIntents, unqueuedIntents, intentPublications } from "@carillon/outbox";
import {
  unalarmedRows,
  type RecurringRun,
  type RecurringTask,
  publishAlarms,
} from "@carillon/scheduling";
import { alarmHorizonMs, intentJobs, relay } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";

type Relaying = Pick<WorkerServices, "queues">;

/** A request sets its own alarm and publishes its own intents; after so long, in milliseconds, it has not. */
const olderThanMs = 2_000;

/** Puts into the queue what a commit left behind. Several relays may run: they add the same ids. */
export default {
  definition: relay,
  async run(run) {
    await run.batches((size) => relayAlarms(run, size));
    await run.batches((size) => relayIntents(run, size));
  },
} satisfies RecurringTask<Relaying>;

async function relayAlarms(
  { db, log, queues }: RecurringRun & Relaying,
  limit: number,
): Promise<"more" | "done"> {
  const alarms = await unalarmedRows(db, { horizonMs: alarmHorizonMs, olderThanMs, limit });
  if (alarms.length === 0) return "done";
  await publishAlarms(db, (jobs) => queues.publish([...jobs]), alarms, Date.now());
  log.info({ alarms: alarms.length }, "the relay set alarms");
  return alarms.length < limit ? "done" : "more";
}

async function relayIntents(
  { db, log, queues }: RecurringRun & Relaying,
  limit: number,
): Promise<"more" | "done"> {
  const jobs = [...intentJobs.keys()];
  const intents = await unqueuedIntents(db, { jobs, olderThanMs, limit });
  if (intents.length === 0) return "done";
  await queues.publish(intentPublications(intents));
  await stampIntents(db, intents);
  log.info({ intents: intents.length }, "the relay published intents");
  return intents.length < limit ? "done" : "more";
}
