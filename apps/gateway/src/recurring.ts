import { heartbeatOf, type RecurringTask } from "@carillon/db";

import { clearRateHitsTask } from "./limits/clear-hits.ts";

/**
 * The task of everything that is declared to recur in a gateway; it refuses to start when one is missing.
 * @param counters of this process, for its heartbeat
 */
export function gatewayTasks(counters: () => object): RecurringTask[] {
  return [clearRateHitsTask, heartbeatOf("gateway", counters)];
}
