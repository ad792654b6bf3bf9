import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** Description for the error: "the message is delivered". */
  readonly what: string;
  /** Milliseconds; default: a minute. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between polls; default: a fiftieth of the time waited so far, from 20 to 100. */
  readonly everyMs?: number;
}

/**
 * Default milliseconds between polls. A condition often asks the database, and a dozen tests that wait half a minute for a
 * recovery at the same time would keep it busy if each asked every 20 ms.
 */
const shortestMs = 20;
const longestMs = 100;
const partWaited = 1 / 50;

/**
 * Polls until `condition` returns a value, and returns it: the only way for tests to wait. A condition that throws counts
 * as "not yet".
 * @throws Error with `what` and the last result
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 60_000, everyMs }: WaitOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const began = Date.now();
  const deadline = began + timeoutMs;
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
    const waited = Date.now() - began;
    await pause(everyMs ?? Math.min(longestMs, Math.max(shortestMs, partWaited * waited)));
  }
}
