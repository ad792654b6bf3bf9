import { heartbeatOf, type RecurringTask } from "@carillon/db";

import type { WorkerServices } from "../services.ts";
import { channelUpkeepTask } from "./channel-upkeep.ts";
import { clearArchiveTask } from "./clear-archive.ts";
import { clearEventsTask } from "./clear-events.ts";
import { clearIntentsTask } from "./clear-intents.ts";
import { countTrafficTask } from "./count-traffic.ts";
import { promoteFullMembersTask } from "./promote-full-members.ts";
import { relayTask } from "./relay.ts";
import { retentionTask } from "./retention.ts";
import { sweepTask } from "./sweep.ts";

/**
 * The task of everything that is declared to recur in a worker; it refuses to start when one is missing.
 * @param counters of this process, for its heartbeat
 */
export function workerTasks(services: WorkerServices, counters: () => object): RecurringTask[] {
  return [
    relayTask(services),
    sweepTask(services),
    clearEventsTask,
    clearIntentsTask,
    promoteFullMembersTask,
    retentionTask,
    clearArchiveTask,
    countTrafficTask,
    channelUpkeepTask,
    heartbeatOf("worker", counters),
  ];
}
