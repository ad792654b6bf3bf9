import type { Lifetime } from "@carillon/db";
import { oneToOne, type JobDefinition } from "@carillon/jobs";
import { loadDefaults, type Logger } from "@carillon/kit";

import type { WorkerServices } from "./services.ts";

/** What a processor gets to work with. */
export interface JobContext<Payload> {
  readonly payload: Payload;
  /** Ends at the deadline, when the queue cancels the job and when the process must end: `db.within(lifetime)`. */
  readonly lifetime: Lifetime;
  /** The lifetime's, for what is not done in the database: pass it on. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** 1 at the first run. */
  readonly attempt: number;
  /** Whether it has begun before, and failed or lost its worker. */
  readonly again: boolean;
  /** Of this process; its database knows nothing of the lifetime. */
  readonly services: WorkerServices;
}

/** The code that runs one kind of job. */
export interface Processor<Payload> {
  readonly definition: JobDefinition<Payload>;
  process(context: JobContext<Payload>): Promise<void>;
}

export type AnyProcessor = Processor<unknown>;

/**
 * Ties code to a declaration. It may run twice for the same job, late, or after its row is gone.
 * It may throw `GiveUp` when trying again cannot help; anything else is tried again.
 */
export function processor<Payload>(
  definition: JobDefinition<Payload>,
  process: (context: JobContext<Payload>) => Promise<void>,
): Processor<Payload> {
  return { definition, process };
}

/**
 * The processors of the folder `jobs`, which are the default exports of its modules.
 * @throws StartupError for a default export that is no processor
 */
export function loadProcessors(): Promise<AnyProcessor[]> {
  return loadDefaults(new URL("./jobs", import.meta.url), "a processor", isProcessor);
}

function isProcessor(value: unknown): value is AnyProcessor {
  return typeof value === "object" && value !== null && "definition" in value && "process" in value;
}

/**
 * The processors by the names of their jobs.
 * @throws StartupError unless every definition has exactly one and none is left over
 */
export function completeProcessors(
  definitions: readonly JobDefinition[],
  processors: readonly AnyProcessor[],
): ReadonlyMap<string, AnyProcessor> {
  return oneToOne(["job", "processor"], definitions, processors);
}
