import { setTimeout as pause } from "node:timers/promises";
import type { Backend } from "./backend.ts";

/** Between two tries of a worker to take a job from a store that refuses it, in milliseconds. */
export const refusedPauseMs = 500;

/** What a worker's tries to take a job came to. */
export interface Takes {
  /** Why the last one failed; undefined when it did not. */
  refusal: string | undefined;
  /** The worker ends: no pause any more. */
  closing: boolean;
}

/**
 * The store's backend, with a pause after each failure to take a job or to wait for one. BullMQ pauses where the
 * connection is lost; after any other error (no permission, no table, a full or read-only Redis) it tries again at once,
 * and its worker would take a processor for itself.
 */
export function patient(factory: Backend["factory"], takes: Takes): Backend["factory"] {
  const refused = async (error: unknown): Promise<never> => {
    takes.refusal = error instanceof Error ? error.message : String(error);
    if (!takes.closing) await pause(refusedPauseMs);
    throw error;
  };
  return (name, options, kind) => {
    const backend = factory(name, options, kind);
    const take = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...given) => {
      const taken = await take(...given).catch(refused);
      takes.refusal = undefined;
      return taken;
    };
    const wait = backend.waitForJob.bind(backend);
    backend.waitForJob = (blockTimeout) => wait(blockTimeout).catch(refused);
    return backend;
  };
}
