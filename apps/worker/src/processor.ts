import type { RequestDeadline } from "@carillon/db";
import { oneToOne, type JobDefinition } from "@carillon/jobs";
import { loadDefaults, type Logger } from "@carillon/kit";

import type { WorkerServices } from "./services.ts";

/** The arguments of a processor. */
export interface JobContext<Payload> {
  readonly payload: Payload;
  /** Ends at the deadline, when the queue cancels the job and when the process must end: `db.within(deadline)`. */
  readonly deadline: RequestDeadline;
  /** The signal of the deadline, for work outside the database. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** 1 at the first run. */
  readonly attempt: number;
  /** Whether it has begun before, and failed or lost its worker. */
  readonly again: boolean;
  /** Shared by the process; its database is not bound to the deadline. */
  readonly services: WorkerServices;
}

/** The code that runs one kind of job. */
export interface Processor<Payload> {
  readonly definition: JobDefinition<Payload>;
  process(context: JobContext<Payload>): Promise<void>;
}

export type AnyProcessor = Processor<unknown>;

/**
 * Binds code to a job's declaration. The code may run twice for the same job, late, or after its row was deleted.
 * It throws `GiveUp` when another attempt cannot help; any other error is retried.
 */
export function processor<Payload>(
  definition: JobDefinition<Payload>,
  process: (context: JobContext<Payload>) => Promise<void>,
): Processor<Payload> {
  return { definition, process };
}

/**
 * Loads the processors of the folder `jobs`: the default exports of its modules.
 * @throws StartupError for a default export that is not a processor
 */
export function loadProcessors(): Promise<AnyProcessor[]> {
  return loadDefaults(new URL("./jobs", import.meta.url), "a processor", isProcessor);
}

function isProcessor(value: unknown): value is AnyProcessor {
  return typeof value === "object" && value !== null && "definition" in value && "process" in value;
}

/**
 * Returns the processors by the names of their jobs.
 * @throws StartupError unless each definition has exactly one processor and each processor a definition
 */
export function completeProcessors(
  definitions: readonly JobDefinition[],
  processors: readonly AnyProcessor[],
): ReadonlyMap<string, AnyProcessor> {
  return oneToOne(["job", "processor"], definitions, processors);
}
