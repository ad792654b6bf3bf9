import type { Logger } from "@carillon/kit";

/** What one look at the database found. */
export interface HealthReading {
  /** There is work that should have been done by now. */
  dueWork: boolean;
  /** A number that changes whenever work gets done anywhere. */
  progress: number;
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

/** Bad checks in a row, 30 s apart, after which the process is better started anew. */
const limit = 2;

/**
 * Watches for a worker that lives and does nothing: a check is bad when work is due and nothing has been
 * done since the check before, or when the database does not answer.
 */
export function startHealthMonitor(options: HealthMonitorOptions): HealthMonitor {
  const { log, intervalMs = 30_000 } = options;
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
    const stuck =
      before?.dueWork === true && reading.dueWork && reading.progress === before.progress;
    before = reading;
    return stuck ? "work is due and none has been done since the last check" : undefined;
  }

  return {
    get bad() {
      return bad;
    },
    check,
    stop: () => clearInterval(timer),
  };
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
