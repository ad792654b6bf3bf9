import type { Lifetime } from "@carillon/db";
import type { JobDefinition } from "@carillon/jobs";
import { StartupError, type Logger } from "@carillon/kit";

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
 * The processors by the names of their jobs.
 * @throws StartupError unless every definition has exactly one and none is left over
 */
export function completeProcessors(
  definitions: readonly JobDefinition[],
  processors: readonly AnyProcessor[],
): ReadonlyMap<string, AnyProcessor> {
  const byName = new Map<string, AnyProcessor>();
  for (const given of processors) {
    const { name } = given.definition;
    if (byName.has(name))
      throw new StartupError(`the job ${name} has two processors; it needs exactly one`);
    if (!definitions.includes(given.definition)) {
      throw new StartupError(
        `there is a processor for the job ${name}, which is not in the list of jobs`,
      );
    }
    byName.set(name, given);
  }
  for (const { name } of definitions) {
    if (!byName.has(name)) throw new StartupError(`the job ${name} has no processor`);
  }
  return byName;
}
