import { answerWithin, type Logger } from "@carillon/kit";

/** The state of one queue at a check. */
export interface QueueReading {
  readonly name: string;
  /** Jobs that any worker may take. */
  readonly waiting: number;
  /** Runs of its jobs that this worker has begun since it started. */
  readonly begun: number;
  /** Why the store refuses jobs of the queue to this worker; undefined if it does not. */
  readonly refusal?: string | undefined;
}

/** The result of one check. */
export interface HealthReading {
  /** Whether overdue work exists. */
  readonly dueWork: boolean;
  /** Changes whenever any worker runs a job. Failing jobs count too: a worker whose jobs fail is not stuck. */
  readonly runsAnywhere: number;
  /** The queues of this worker. */
  readonly queues: readonly QueueReading[];
}

export interface HealthMonitorOptions {
  /** Reads over its own connection, because the worker's pool may be broken. */
  probe(signal: AbortSignal): Promise<HealthReading>;
  /** Called once, after two failed checks in a row. */
  exit(why: string): void;
  readonly log: Logger;
  /** Milliseconds between checks; a check that takes longer fails. */
  readonly intervalMs?: number;
}

export interface HealthMonitor {
  /** How many checks in a row have failed. */
  readonly bad: number;
  /** Checks now, as the timer does. */
  check(): Promise<void>;
  stop(): void;
}

/** Milliseconds between two checks: longer than any run of a job. */
export const checkEveryMs = 30_000;

/** Failed checks in a row after which the process exits. */
const limit = 2;

/**
 * Detects a worker that runs but does no work. A check fails if work is due and no worker has run a job since the
 * previous check; if jobs wait in a queue and this worker has taken none (no run lasts that long); if the store refused
 * jobs to it at both checks; or if the database does not answer.
 */
export function startHealthMonitor(options: HealthMonitorOptions): HealthMonitor {
  const { log, intervalMs = checkEveryMs } = options;
  let before: HealthReading | undefined;
  let bad = 0;
  let checking: Promise<void> | undefined;
  const check = () => (checking ??= runCheck().finally(() => (checking = undefined)));
  const timer = setInterval(() => void check(), intervalMs);

  async function runCheck(): Promise<void> {
    const why = await findProblem();
    if (bad >= limit) return;
    bad = why === undefined ? 0 : bad + 1;
    if (why === undefined) return;
    log.warn({ why, bad }, "the worker looks stuck");
    if (bad === limit) {
      clearInterval(timer);
      options.exit(why);
    }
  }

  async function findProblem(): Promise<string | undefined> {
    let reading: HealthReading;
    try {
      const controller = new AbortController();
      // A probe may ignore its signal.
      reading = await answerWithin(options.probe(controller.signal), intervalMs, (error) =>
        controller.abort(error),
      );
    } catch (error) {
      // The reading before the gap cannot be compared with the next one.
      before = undefined;
      return `the database did not answer: ${error instanceof Error ? error.message : String(error)}`;
    }
    const why = before && problemBetween(before, reading);
    before = reading;
    return why;
  }

  return {
    get bad() {
      return bad;
    },
    check,
    stop: () => clearInterval(timer),
  };
}

/** Returns why the worker counts as stuck, given two readings in a row; undefined if it does not. */
function problemBetween(before: HealthReading, now: HealthReading): string | undefined {
  if (before.dueWork && now.dueWork && now.runsAnywhere === before.runsAnywhere)
    return "work is due and no worker has run a job since the last check";
  const refused = now.queues.find(
    ({ name, refusal }) =>
      refusal !== undefined &&
      before.queues.some((queue) => queue.name === name && queue.refusal !== undefined),
  );
  if (refused) return `the queue ${refused.name} refuses its jobs: ${refused.refusal}`;
  const untouched = now.queues.find(({ name, waiting, begun }) => {
    const earlier = before.queues.find((queue) => queue.name === name);
    return earlier !== undefined && earlier.waiting > 0 && waiting > 0 && earlier.begun === begun;
  });
  return untouched
    ? `jobs wait in the queue ${untouched.name} and this worker has begun none since the last check`
    : undefined;
}
