import { ApiError } from "./api-error.ts";
import { pause, pauseUntilOnline } from "./waiting.ts";

/** Milliseconds before the first repeat, doubled for each further one, and the longest wait. */
const firstMs = 500;
const longestMs = 30_000;

/** A call waits at most this long for `Retry-After`, in seconds; if the server wants more, the call fails at once. */
const patience = 60;

/** Whether and how often a request may be repeated. */
export interface Repeats {
  /** Maximum repeats. */
  readonly retries: number;
  /** Whether a repeat does no harm: the operation only reads, or the request has an idempotency key. */
  readonly isSafe: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((error: ApiError, waitMs: number) => void) | undefined;
}

/** Runs an attempt, and again where the failure allows it (once-and-again.md §1). */
export async function withRetries<T>(attempt: () => Promise<T>, repeats: Repeats): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || failures >= repeats.retries) throw error;
      if (!mayBeRepeated(error, repeats.isSafe) || (error.retryAfter ?? 0) > patience) throw error;
      const waitMs = backoffMs(failures, error.retryAfter);
      repeats.onRetry?.(error, waitMs);
      await pauseAfter(error, waitMs, repeats.signal);
    }
  }
}

/**
 * Returns whether the same request may succeed later. 429 is sent before anything happens; after the others an unsafe
 * request may have been carried out.
 */
export function mayBeRepeated({ status, code }: ApiError, isSafe: boolean): boolean {
  if (status === 429) return true;
  return (
    isSafe &&
    (code === "NO_ANSWER" ||
      code === "IDEMPOTENCY_KEY_IN_USE" ||
      status === 408 ||
      status >= 500 ||
      // A cut answer of a proxy: the server said yes.
      (code === "BAD_ANSWER" && status >= 200 && status < 300))
  );
}

/** Waits before a request is repeated. Without an answer there may be no network, whose return ends the wait. */
export function pauseAfter(
  { status }: ApiError,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return status === 0 ? pauseUntilOnline(waitMs, signal) : pause(waitMs, signal);
}

/**
 * Returns milliseconds until the next attempt: at least what the server asks for, else a random time up to a bound that
 * doubles, so that clients of a restarted server do not come back together.
 * @param failures how many attempts have failed before
 * @param retryAfter seconds
 */
export function backoffMs(failures: number, retryAfter: number | undefined): number {
  const bound = Math.min(firstMs * 2 ** failures, longestMs);
  const random = (0.5 + Math.random() / 2) * bound;
  return retryAfter === undefined ? random : retryAfter * 1_000 + random / 2;
}
