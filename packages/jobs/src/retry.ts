import { milliseconds, type Duration } from "./duration.ts";

/** When a failed job runs again. All times are milliseconds. */
export interface Retry {
  /** Maximum number of runs, including the first one. */
  readonly attempts: number;
  /** Pause after the first failure. */
  readonly firstMs: number;
  /** Longest pause. */
  readonly capMs: number;
  /** Fraction of a pause that is random, 0 to 1: at 0.5 a pause of 10 s becomes 5 to 10 s. */
  readonly jitter: number;
}

/**
 * Declares exponential backoff: pauses that double up to a cap.
 * @throws RangeError for impossible numbers, for example fewer than one attempt
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
 * Returns the pause after `failures` failed runs, in milliseconds; never 0, which the queue would read as "at once".
 * @param random from 0 to 1; given by tests
 */
export function pauseAfter(retry: Retry, failures: number, random = Math.random()): number {
  const full = Math.min(retry.capMs, retry.firstMs * 2 ** (failures - 1));
  return Math.max(1, Math.round(full * (1 - retry.jitter * random)));
}

/**
 * Returns the milliseconds for which the row of a healthy job may stay unchanged: the longest pause and the longest
 * run, doubled for a busy queue.
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
