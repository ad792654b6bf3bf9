import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** What is awaited, for the error: "the message is delivered". */
  readonly what: string;
  /** Milliseconds; unless given a minute, which only a machine that stands still or a fault needs. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two looks, 20 unless given. */
  readonly everyMs?: number;
}

/**
 * Looks until `condition` answers with something, and returns that: the one way in which tests wait.
 * A look that throws counts as "not yet".
 * @throws Error that names what was awaited, and what the last look saw
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
      const last = seen instanceof Error ? `failed: ${seen.message}` : `saw ${String(seen)}`;
      throw new Error(`waited ${timeoutMs} ms in vain until ${what}; the last look ${last}`, {
        cause: seen,
      });
    }
    await pause(everyMs);
  }
}
