import { type Database, RequestDeadline } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

/** What one run of recurring work receives. */
export interface RecurringRun {
  /** Cancels its statements at the deadline. */
  readonly db: Database;
  readonly log: Logger;
  /** Aborts when the run has to end: the process is shutting down, or the deadline has passed. */
  readonly signal: AbortSignal;
  /** Whether no earlier run of this process has succeeded. */
  readonly first: boolean;
  /** Calls `take` until it returns "done", at most as often as the definition allows. */
  readonly batches: (take: (size: number) => Promise<"more" | "done">) => Promise<void>;
}

/** What every task needs from its process. */
export interface TaskParts {
  readonly db: Database;
  readonly log: Logger;
}

/** Implements one declaration of recurring work. `Services` is what it needs in addition to {@link TaskParts}. */
export interface RecurringTask<Services = unknown> {
  readonly definition: RecurringDefinition;
  /** May run in several processes at once, unless a leader is declared. */
  readonly run: (run: RecurringRun & Services) => Promise<void>;
  /** Called once, after the last run. */
  end?(db: Database): Promise<void>;
}

/** A started recurring task. */
export interface Recurring {
  /** Runs now, or joins the run in progress. */
  run(): Promise<void>;
  /** Starts no further run and waits for the one in progress. */
  stop(): Promise<void>;
}

/** Runs the task at once and then at its interval. A run that fails is logged; the next run starts at its interval. */
export function startTask<Services>(
  task: RecurringTask<Services>,
  services: NoInfer<Services> & TaskParts,
): Recurring {
  const { definition } = task;
  const { db, log } = services;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  let first = true;

  async function once(): Promise<void> {
    const { name, deadlineMs } = definition;
    const deadline = new RequestDeadline();
    deadline.limit(deadlineMs, () => new Error(`${name} took longer than ${deadlineMs} ms`));
    const ending = new AbortController();
    const end = () => ending.abort();
    const unsubscribe = deadline.onEnd(end);
    stopping.signal.addEventListener("abort", end);
    const { signal } = ending;
    try {
      await task.run({
        ...services,
        db: db.within(deadline),
        signal,
        first,
        batches: batches(definition.bound, signal),
      });
      first = false;
    } catch (error) {
      log.warn({ err: error, task: name }, "recurring work failed; it runs again at its interval");
    } finally {
      stopping.signal.removeEventListener("abort", end);
      unsubscribe();
      deadline.unlimit();
    }
  }
  const run = () => (running ??= once().finally(() => (running = undefined)));
  const timer = setInterval(() => void run(), definition.everyMs);
  // Recurring work alone does not keep a process alive.
  timer.unref();
  void run();
  return {
    run: () => (stopped ? Promise.resolve() : run()),
    stop: () =>
      (stopped ??= (async () => {
        clearInterval(timer);
        stopping.abort();
        await running;
        await task.end?.(db);
      })()),
  };
}

function batches(
  { batch, batches: most }: RecurringDefinition["bound"],
  signal: AbortSignal,
): RecurringRun["batches"] {
  return async (take) => {
    for (let taken = 0; taken < most && !signal.aborted; taken++)
      if ((await take(batch)) === "done") return;
  };
}
