import { type Database, Lifetime } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

/** What one run of recurring work gets to work with. */
export interface RecurringRun {
  /** Its statements are cancelled at the deadline. */
  readonly db: Database;
  readonly log: Logger;
  /** Fires when the run is to come to an end: the process ends, or the deadline has come. */
  readonly signal: AbortSignal;
  /** Whether no run of this process has ended well yet. */
  readonly first: boolean;
  /** Takes one batch after the other until one says that no more is left, as many as are declared at most. */
  readonly batches: (take: (size: number) => Promise<"more" | "done">) => Promise<void>;
}

/** What every run needs of its process. */
export interface TaskParts {
  readonly db: Database;
  readonly log: Logger;
}

/** The code for one declaration of recurring work. `Services` are what it needs of its process besides. */
export interface RecurringTask<Services = unknown> {
  readonly definition: RecurringDefinition;
  /** May run in several processes at once, where no leader is declared. */
  readonly run: (run: RecurringRun & Services) => Promise<void>;
  /** Called once, after the last run. */
  end?(db: Database): Promise<void>;
}

/** Recurring work that goes on. */
export interface Recurring {
  /** Runs now, or joins the run under way. */
  run(): Promise<void>;
  /** Starts no further run and waits for the one under way. */
  stop(): Promise<void>;
}

/** Runs the task at once and then by its interval; a run that fails is logged, and the next one comes all the same. */
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
    const lifetime = new Lifetime();
    lifetime.limit(deadlineMs, () => new Error(`${name} took longer than ${deadlineMs} ms`));
    const ending = new AbortController();
    const end = () => ending.abort();
    const forget = lifetime.onEnd(end);
    stopping.signal.addEventListener("abort", end);
    const { signal } = ending;
    try {
      await task.run({
        ...services,
        db: db.within(lifetime),
        signal,
        first,
        batches: batches(definition.bound, signal),
      });
      first = false;
    } catch (error) {
      log.warn({ err: error, task: name }, "recurring work failed; it comes again");
    } finally {
      stopping.signal.removeEventListener("abort", end);
      forget();
      lifetime.unlimit();
    }
  }
  const run = () => (running ??= once().finally(() => (running = undefined)));
  const timer = setInterval(() => void run(), definition.everyMs);
  // A process lives for its work, not for what recurs.
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
