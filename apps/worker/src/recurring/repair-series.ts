import type { RecurringTask } from "@carillon/scheduling";
import { SeriesRepair } from "@carillon/domain";
import { repairSeriesPlans } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";

/** Keeps the position of the last run of this process. */
const repair = new SeriesRepair();

/**
 * Plans the next occurrence of active series that have none (once-and-again.md §3.4), for example because its row was deleted
 * by hand.
 */
export default {
  definition: repairSeriesPlans,
  async run({ db, site, log, signal }) {
    const repaired = await repair.run({ db, site, log }, repairSeriesPlans.bound.batch, signal);
    if (repaired > 0) log.warn({ repaired }, "missing occurrences of series planned");
  },
} satisfies RecurringTask<Pick<WorkerServices, "site">>;
