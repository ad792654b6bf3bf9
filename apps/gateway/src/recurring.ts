import { loadTasks, type RecurringTask } from "@carillon/scheduling";

/** The tasks of the folder `recurring`: all that is declared to recur in a gateway, but for its heartbeat. */
export function gatewayTasks(): Promise<RecurringTask[]> {
  return loadTasks(new URL("./recurring", import.meta.url));
}
