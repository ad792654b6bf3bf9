import { setTimeout as pause } from "node:timers/promises";
import type { Backend } from "./backend.ts";

/** Pause of a worker after it could not take a job from the store, in milliseconds. */
export const refusedPauseMs = 500;

/** State of a worker's attempts to take jobs. The worker and the wrapper of its backend share it. */
export interface FetchState {
  /** Why the last attempt failed; undefined if it succeeded. */
  refusal: string | undefined;
  /** The worker is closing: it no longer pauses. */
  closing: boolean;
}

/**
 * Wraps the store's backend with a pause after each failure to take a job or to wait for one. BullMQ pauses when the
 * connection is lost; after any other error (no permission, no table, a full or read-only Redis) it retries at once,
 * and one worker would use a whole CPU.
 */
export function pauseAfterRefusal(
  factory: Backend["factory"],
  fetching: FetchState,
): Backend["factory"] {
  const refused = async (error: unknown): Promise<never> => {
    fetching.refusal = error instanceof Error ? error.message : String(error);
    if (!fetching.closing) await pause(refusedPauseMs);
    throw error;
  };
  return (name, options, kind) => {
    const backend = factory(name, options, kind);
    const take = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...given) => {
      const taken = await take(...given).catch(refused);
      fetching.refusal = undefined;
      return taken;
    };
    const wait = backend.waitForJob.bind(backend);
    backend.waitForJob = (blockTimeout) => wait(blockTimeout).catch(refused);
    return backend;
  };
}
