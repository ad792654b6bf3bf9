import { readySubscriptions, recordFailureNotices } from "@carillon/domain";
import { eventsJob, relaySubscriptions } from "@carillon/jobs";
import { systemClock } from "@carillon/kit";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/**
 * Adds jobs for subscriptions that have events to send. The job ids differ from those of the previous run, whose jobs may
 * have looked at the rows too early.
 */
export default {
  definition: relaySubscriptions,
  async run({ db, queues, batches }) {
    await batches(async (limit) => {
      const ready = await readySubscriptions(db, { limit });
      const tick = `relay-${Math.floor(systemClock.now() / relaySubscriptions.everyMs)}`;
      if (ready.length > 0) await queues.publish(ready.map((one) => eventsJob(one, tick)));
      await recordFailureNotices(db, limit);
      return "done";
    });
  },
} satisfies RecurringTask<Pick<WorkerServices, "queues" | "db">>;
