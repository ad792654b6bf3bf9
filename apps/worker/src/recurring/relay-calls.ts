import { readyCalls } from "@carillon/domain";
import { callJob, relayCalls } from "@carillon/jobs";
import { systemClock } from "@carillon/kit";
import type { RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "../services.ts";

/** Milliseconds that a ready call may wait for its job before the relay adds one. */
const olderThanMs = 1_000;

/** Adds jobs for ready calls. The ids change every second, because an earlier job may have run too early. */
export default {
  definition: relayCalls,
  async run({ db, queues, batches }) {
    await batches(async (limit) => {
      const calls = await readyCalls(db, { olderThanMs, limit });
      const tick = `relay-${Math.floor(systemClock.now() / relayCalls.everyMs)}`;
      if (calls.length > 0) await queues.publish(calls.map((call) => callJob(call, tick)));
      return "done";
    });
  },
} satisfies RecurringTask<Pick<WorkerServices, "queues">>;
