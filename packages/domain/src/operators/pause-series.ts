import type { Database } from "@carillon/db";

import { pauseOpen } from "../scheduled/series/change-state.ts";
import { openSeries } from "../scheduled/series/series-row.ts";

/** The result of pausing a series for an operator. */
export type OperatorsPause = "paused" | "unchanged" | "unknown";

/**
 * Pauses a series of any organization for an operator, as its author would: the planned occurrence is deleted. The audit log
 * names the operator. Has no effect on a series that is paused or has ended.
 */
export async function pauseSeriesForOperator(
  db: Database,
  id: number,
  operator: string,
): Promise<OperatorsPause> {
  return db.transaction(async (tx) => {
    const open = await openSeries(tx, id);
    if (!open) return "unknown";
    if (open.series.state !== "active") return "unchanged";
    await pauseOpen(tx, null, open, { operator });
    return "paused";
  });
}
