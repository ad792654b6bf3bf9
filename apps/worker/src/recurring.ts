import { loadTasks, type RecurringTask } from "@carillon/scheduling";

import type { WorkerServices } from "./services.ts";

/** Loads the tasks of the folder `recurring`: all recurring work of a worker except its heartbeat. */
export function workerTasks(): Promise<Array<RecurringTask<WorkerServices>>> {
  return loadTasks(new URL("./recurring", import.meta.url));
}
