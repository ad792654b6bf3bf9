/** The longest time that timers can wait, in milliseconds: a longer one would fire at once. */
const longestMs = 2_147_483_647;

/**
 * Waits.
 * @throws the signal's reason as soon as it is aborted
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, longestMs),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that is aborted when another one is, or when a time has passed. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time passed before the other signal was aborted. */
  readonly isOver: () => boolean;
  /** Ends the time limit; the other signal still aborts. */
  readonly lift: () => void;
  /** Removes the timer and the listener. Otherwise a long-lived signal would keep a listener for every request. */
  readonly release: () => void;
}

/**
 * Makes a signal from another one and a time. Does not use `AbortSignal.any`, which browsers before 2024 lack.
 * @param ms 0 for no limit
 */
export function timeLimit(ms: number, given: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let over = false;
  const stop = () => controller.abort(given?.reason);
  if (given?.aborted) stop();
  given?.addEventListener("abort", stop, { once: true });
  const timer =
    ms > 0
      ? setTimeout(
          () => {
            over = !controller.signal.aborted;
            controller.abort();
          },
          Math.min(ms, longestMs),
        )
      : undefined;
  const lift = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    isOver: () => over,
    lift,
    release() {
      lift();
      given?.removeEventListener("abort", stop);
    },
  };
}
