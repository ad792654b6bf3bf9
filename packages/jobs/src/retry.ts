import { milliseconds, type Duration } from "./duration.ts";

/** When a failed job runs again. All durations are milliseconds. */
export interface Retry {
  /** Runs in all, the first one included. */
  readonly attempts: number;
  /** Pause after the first failure. */
  readonly firstMs: number;
  /** No pause is longer. */
  readonly capMs: number;
  /** Share of a pause that is random, 0 to 1: at 0.5 a pause of 10 s becomes 5 to 10 s. */
  readonly jitter: number;
}

/**
 * Doubling pauses with a cap.
 * @throws RangeError when a number makes no sense, for example fewer than one attempt
 */
export function backoff(options: {
  attempts: number;
  first: Duration;
  cap: Duration;
  jitter: number;
}): Retry {
  const firstMs = milliseconds(options.first);
  const capMs = milliseconds(options.cap);
  if (!Number.isInteger(options.attempts) || options.attempts < 1) {
    throw new RangeError(`attempts is ${options.attempts}; it must be a whole number from 1`);
  }
  if (capMs < firstMs) {
    throw new RangeError(`cap (${options.cap}) is shorter than first (${options.first})`);
  }
  if (!(options.jitter >= 0 && options.jitter <= 1)) {
    throw new RangeError(`jitter is ${options.jitter}; it must be from 0 to 1`);
  }
  return { attempts: options.attempts, firstMs, capMs, jitter: options.jitter };
}

/**
 * The pause in milliseconds after `failures` failed runs, never 0: the queue would read 0 as "at once".
 * @param random from 0 to 1; given by tests
 */
export function pauseAfter(retry: Retry, failures: number, random = Math.random()): number {
  const full = Math.min(retry.capMs, retry.firstMs * 2 ** (failures - 1));
  return Math.max(1, Math.round(full * (1 - retry.jitter * random)));
}

/**
 * For how many milliseconds a job that is well may say nothing in its row: the longest pause and the longest run, and
 * as long again in a busy queue.
 */
export function longestSilence({
  retry,
  deadlineMs,
}: {
  retry: Retry;
  deadlineMs: number;
}): number {
  return 2 * (retry.capMs + deadlineMs);
}
