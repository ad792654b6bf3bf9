import type { Logger } from "@carillon/kit";

/** Work that is done again and again, one run at a time. */
export interface Recurring {
  /** Runs now, or joins the run under way. */
  run(): Promise<void>;
  /** Starts no further run and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at once and then every `intervalMs`; a run that fails is logged, and the next one comes all the same.
 * @param work its signal fires when it is to come to an end
 */
export function every(
  intervalMs: number,
  name: string,
  log: Logger,
  work: (signal: AbortSignal) => Promise<void>,
): Recurring {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = () =>
    (running ??= work(stopping.signal)
      .catch((error: unknown) => log.warn({ err: error }, `${name} failed; it tries again`))
      .finally(() => (running = undefined)));
  const timer = setInterval(() => void run(), intervalMs);
  void run();
  return {
    run,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
