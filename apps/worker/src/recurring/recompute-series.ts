import type { RecurringTask } from "@carillon/scheduling";
import { SeriesTimes } from "@carillon/domain";
import { recomputeSeries } from "@carillon/jobs";

/** Recomputes the times of series after an update of the time zone database (once-and-again.md §3.3). */
export default {
  definition: recomputeSeries,
  run({ db, batches }) {
    const times = new SeriesTimes(db);
    return batches((size) => times.recompute(size));
  },
} satisfies RecurringTask;
