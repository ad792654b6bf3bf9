/** The longest time that timers can wait, in milliseconds: a longer one would fire at once. */
const longestMs = 2_147_483_647;

/**
 * Waits.
 * @throws the signal's reason as soon as it is aborted
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return wait(ms, signal, {});
}

/**
 * Waits; in a browser at most until the network is back.
 * @throws the signal's reason as soon as it is aborted
 */
export function pauseUntilOnline(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return wait(ms, signal, globalThis as unknown as Page);
}

/** Where a browser reports that the network is back; Node reports it nowhere. */
type Page = Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

function wait(ms: number, signal: AbortSignal | undefined, page: Page): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      page.removeEventListener?.("online", done);
    };
    const stop = () => {
      end();
      reject(signal?.reason as Error);
    };
    const done = () => {
      end();
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, longestMs));
    signal?.addEventListener("abort", stop, { once: true });
    page.addEventListener?.("online", done);
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
            // The same kind of reason as that of `AbortSignal.timeout`.
            controller.abort(new DOMException("The request timed out", "TimeoutError"));
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
