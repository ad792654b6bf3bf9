import { loadTasks, type RecurringTask } from "@carillon/scheduling";

/** Loads the tasks of the folder `recurring`: all recurring work of a gateway, except its heartbeat. */
export function gatewayTasks(): Promise<RecurringTask[]> {
  return loadTasks(new URL("./recurring", import.meta.url));
}
