import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** Description for the error: "the message is delivered". */
  readonly what: string;
  /** Milliseconds; default: a minute. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between polls; default 20. */
  readonly everyMs?: number;
}

/**
 * Polls until `condition` returns a value, and returns it: the only way for tests to wait. A condition that throws counts
 * as "not yet".
 * @throws Error with `what` and the last result
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 60_000, everyMs = 20 }: WaitOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  let seen: unknown;
  for (;;) {
    try {
      const found = await condition();
      if (found !== false && found !== null && found !== undefined) {
        return found as Exclude<T, false | null | undefined>;
      }
      seen = found;
    } catch (error) {
      seen = error;
    }
    if (Date.now() >= deadline) {
      const last = seen instanceof Error ? `threw: ${seen.message}` : `returned ${String(seen)}`;
      throw new Error(`timed out after ${timeoutMs} ms until ${what}; the last check ${last}`, {
        cause: seen,
      });
    }
    await pause(everyMs);
  }
}
