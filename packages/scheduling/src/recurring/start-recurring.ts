import { setTimeout as delay } from "node:timers/promises";

import { allRecurring, oneToOne, type ProcessName, type RecurringDefinition } from "@carillon/jobs";
import { loadDefaults, type Shutdown } from "@carillon/kit";

import { heartbeatOf } from "./heartbeats.ts";
import { startTask, type RecurringTask, type TaskParts } from "./recurring-task.ts";

/** How long a shutdown waits until the row says that the process is stopping, in milliseconds. */
const announceMs = 1_000;

/**
 * Loads the tasks of a folder: the default exports of its modules.
 * @throws StartupError for a default export that is not a task
 */
export function loadTasks<Services>(folder: URL): Promise<Array<RecurringTask<Services>>> {
  return loadDefaults(folder, "a task of recurring work", isTask<Services>);
}

function isTask<Services>(value: unknown): value is RecurringTask<Services> {
  return typeof value === "object" && value !== null && "definition" in value && "run" in value;
}

/**
 * Starts all recurring work of a process: the tasks, and its heartbeat.
 * @param services passed to the tasks
 * @param order the steps of the shutdown in which tasks stop; at `last`, tasks that run until the process has no work left
 * @throws StartupError unless each declaration for this kind of process has exactly one task, and each task a declaration
 */
export function startRecurring<Services>(
  parts: {
    process: ProcessName;
    tasks: ReadonlyArray<RecurringTask<Services>>;
    /** Counters of this process, for its heartbeat. */
    counters?: () => object;
  },
  services: NoInfer<Services> & TaskParts,
  shutdown: Shutdown,
  order: { first: number; last: number },
): void {
  const { process, tasks, counters } = parts;
  const heartbeat = heartbeatOf(process, counters);
  shutdown.add(0, "announced stop", () =>
    Promise.race([
      heartbeat.announceStop(services.db),
      delay(announceMs, undefined, { ref: false }),
    ]),
  );
  for (const [name, task] of tasksOf(process, [...tasks, heartbeat])) {
    const { throughShutdown } = task.definition;
    const started = startTask(task, services);
    shutdown.add(throughShutdown ? order.last : order.first, name, () => started.stop());
  }
}

/**
 * Returns the tasks of a process by name.
 * @throws StartupError as {@link startRecurring}
 */
export function tasksOf<Services>(
  process: ProcessName,
  tasks: ReadonlyArray<RecurringTask<Services>>,
  definitions: readonly RecurringDefinition[] = allRecurring,
): ReadonlyMap<string, RecurringTask<Services>> {
  const own = definitions.filter(({ processes }) => processes.includes(process));
  return oneToOne(["recurring work", `task in the ${process}`], own, tasks);
}
