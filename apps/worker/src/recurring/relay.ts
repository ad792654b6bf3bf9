import { stampIntents, unqueuedIntents, intentPublications } from "@carillon/outbox";
import {
  deliveriesWithoutJob,
  type RecurringRun,
  type RecurringTask,
  publishDeliveryJobs,
} from "@carillon/scheduling";
import { deliveryJobHorizonMs, intentJobs, relay } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";

type Relaying = Pick<WorkerServices, "queues">;

/** Age in milliseconds from which the relay adds the missing job of a row, because the process that wrote the row has not. */
const olderThanMs = 2_000;

/** Adds jobs that a process has not added after its commit. Several relays may run: they add the same ids. */
export default {
  definition: relay,
  async run(run) {
    await run.batches((size) => relayDeliveryJobs(run, size));
    await run.batches((size) => relayIntents(run, size));
  },
} satisfies RecurringTask<Relaying>;

async function relayDeliveryJobs(
  { db, log, queues }: RecurringRun & Relaying,
  limit: number,
): Promise<"more" | "done"> {
  const deliveries = await deliveriesWithoutJob(db, {
    horizonMs: deliveryJobHorizonMs,
    olderThanMs,
    limit,
  });
  if (deliveries.length === 0) return "done";
  await publishDeliveryJobs(db, (jobs) => queues.publish([...jobs]), deliveries, Date.now());
  log.info({ deliveries: deliveries.length }, "the relay added delivery jobs");
  return deliveries.length < limit ? "done" : "more";
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
