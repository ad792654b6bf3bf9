import type { RequestDeadline } from "./request-deadline.ts";

/** Milliseconds: the longest pause before the second attempt. It doubles with each further attempt, up to the cap. */
const firstMs = 10;
const capMs = 200;

/**
 * Waits before a transaction runs again after a serialization failure or a deadlock: exponential backoff with full
 * jitter. Without it, transactions that collide once would collide again.
 * @param failed how many attempts have failed, at least 1
 * @param deadline ends the pause when it ends
 */
export async function pauseBeforeRetry(failed: number, deadline?: RequestDeadline): Promise<void> {
  if (deadline?.reason) return;
  const ms = Math.random() * Math.min(capMs, firstMs * 2 ** (failed - 1));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    const forget = deadline?.onEnd(end);
    function end(): void {
      clearTimeout(timer);
      forget?.();
      resolve();
    }
  });
}
