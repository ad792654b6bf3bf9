import { loadTasks, type RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "./services.ts";

/** The tasks of the folder `recurring`: all that is declared to recur in a worker, but for its heartbeat. */
export function workerTasks(): Promise<Array<RecurringTask<WorkerServices>>> {
  return loadTasks(new URL("./recurring", import.meta.url));
}
