import { readyCalls } from "@carillon/domain";
import { callJob, relayCalls } from "@carillon/jobs";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/** Milliseconds after which the process that should have added the job of a call has not. */
const olderThanMs = 1_000;

/** Adds jobs of calls that may be made, each second under other ids: an earlier job may have come too early. */
export default {
  definition: relayCalls,
  async run({ db, queues, batches }) {
    await batches(async (limit) => {
      const calls = await readyCalls(db, { olderThanMs, limit });
      const tick = `relay-${Math.floor(Date.now() / relayCalls.everyMs)}`;
      if (calls.length > 0) await queues.publish(calls.map((call) => callJob(call, tick)));
      return "done";
    });
  },
} satisfies RecurringTask<Pick<WorkerServices, "queues">>;
