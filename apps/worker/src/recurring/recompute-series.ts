import type { RecurringTask } from "@carillon/scheduling";
import { recomputeSeriesTimes } from "@carillon/domain";
import { recomputeSeries } from "@carillon/jobs";

/** Recomputes the times of series after an update of the time zone database (once-and-again.md §3.3). */
export default {
  definition: recomputeSeries,
  run: ({ db, batches }) => batches((size) => recomputeSeriesTimes(db, size)),
} satisfies RecurringTask;
