import type { Logger } from "@carillon/kit";

/** One queue, as one look found it. */
export interface QueueReading {
  readonly name: string;
  /** Jobs that anybody might take. */
  readonly waiting: number;
  /** Runs of its jobs that this worker has begun since it started. */
  readonly begun: number;
  /** Why the store refuses this worker its jobs, where it does. */
  readonly refusal?: string | undefined;
}

/** What one look found. */
export interface HealthReading {
  /** There is work that should have been done by now. */
  readonly dueWork: boolean;
  /** A number that changes whenever any worker runs a job, whatever comes of it: stuck work is no stuck worker. */
  readonly runsAnywhere: number;
  /** The queues that this worker works on. */
  readonly queues: readonly QueueReading[];
}

export interface HealthMonitorOptions {
  /** Looks over a connection of its own, so that a dead pool of the worker's cannot fool it. */
  probe(signal: AbortSignal): Promise<HealthReading>;
  /** Called once, after the second bad check in a row. */
  exit(why: string): void;
  readonly log: Logger;
  /** Between checks; a check that takes longer than this is a bad one. */
  readonly intervalMs?: number;
}

export interface HealthMonitor {
  /** How many checks in a row were bad. */
  readonly bad: number;
  /** Checks now; the timer does this. */
  check(): Promise<void>;
  stop(): void;
}

/** Between two checks, in milliseconds: longer than any run of a job. */
export const checkEveryMs = 30_000;

/** Bad checks in a row after which the process is better started anew. */
const limit = 2;

/**
 * Watches for a worker that lives and does nothing. A check is bad when since the check before no worker has run
 * anything although work is due, when this one has taken nothing of a queue in which jobs wait (no run lasts as long) or is
 * refused its jobs both times, or when the database does not answer.
 */
export function startHealthMonitor(options: HealthMonitorOptions): HealthMonitor {
  const { log, intervalMs = checkEveryMs } = options;
  let before: HealthReading | undefined;
  let bad = 0;
  let checking: Promise<void> | undefined;
  const check = () => (checking ??= look().finally(() => (checking = undefined)));
  const timer = setInterval(() => void check(), intervalMs);

  async function look(): Promise<void> {
    const why = await complaint();
    if (bad >= limit) return;
    bad = why === undefined ? 0 : bad + 1;
    if (why === undefined) return;
    log.warn({ why, bad }, "the worker looks stuck");
    if (bad === limit) {
      clearInterval(timer);
      options.exit(why);
    }
  }

  async function complaint(): Promise<string | undefined> {
    let reading: HealthReading;
    try {
      reading = await answerWithin((signal) => options.probe(signal), intervalMs);
    } catch (error) {
      // What was read before the gap says nothing about what was done in it.
      before = undefined;
      return `the database did not answer: ${error instanceof Error ? error.message : String(error)}`;
    }
    const why = before && standstill(before, reading);
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

function standstill(before: HealthReading, now: HealthReading): string | undefined {
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

/** The probe's answer. One that never comes is an error, also where the probe ignores its signal. */
async function answerWithin(
  probe: HealthMonitorOptions["probe"],
  limitMs: number,
): Promise<HealthReading> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`no answer within ${limitMs} ms`);
      controller.abort(reason);
      reject(reason);
    }, limitMs);
  });
  try {
    return await Promise.race([probe(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
