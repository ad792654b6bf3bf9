import { allRecurring, oneToOne, type ProcessName, type RecurringDefinition } from "@carillon/jobs";
import type { Logger, Shutdown } from "@carillon/kit";

import type { Database } from "./database.ts";
import { startTask, type RecurringTask } from "./recurring-task.ts";

/**
 * Starts all recurring work of a process.
 * @param order when it stops in the shutdown: all of it first, then what goes on until the process has done its work
 * @throws StartupError unless every declaration for this kind of process has exactly one task and none is left over
 */
export function startRecurring(
  parts: { process: ProcessName; tasks: readonly RecurringTask[]; db: Database; log: Logger },
  shutdown: Shutdown,
  order: { first: number; last: number },
): void {
  for (const [name, task] of tasksOf(parts.process, parts.tasks)) {
    const { throughShutdown } = task.definition;
    const started = startTask(task, parts);
    shutdown.add(throughShutdown ? order.last : order.first, name, () => started.stop());
  }
}

/**
 * The tasks of a process by name.
 * @throws StartupError as {@link startRecurring}
 */
export function tasksOf(
  process: ProcessName,
  tasks: readonly RecurringTask[],
  definitions: readonly RecurringDefinition[] = allRecurring,
): ReadonlyMap<string, RecurringTask> {
  const own = definitions.filter(({ processes }) => processes.includes(process));
  return oneToOne(["recurring work", `task in the ${process}`], own, tasks);
}
