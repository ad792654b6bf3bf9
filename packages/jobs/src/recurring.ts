import { milliseconds, type Duration } from "./duration.ts";
import { checkName } from "./named-once.ts";

/** What runs recurring work. */
export type ProcessName = "gateway" | "worker" | "dashboard";

/** Work that is done again and again by the clock, not because something happened. */
export interface RecurringDefinition {
  readonly name: string;
  /** What it does, in one sentence or two, for the reference page. */
  readonly about: string;
  /** Every process of these kinds runs it. */
  readonly processes: readonly ProcessName[];
  /** From one start to the next, in milliseconds; a run that is still going on then is not started again. */
  readonly everyMs: number;
  /**
   * `one`: of all processes one at a time works, in the whole installation or in an organization; the others find the
   * lock taken and come again at their next turn. `none`: several may work at once.
   */
  readonly leader: "one" | "one per organization" | "none";
  readonly bound: Bound;
  /** A run is cancelled after this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Whether it goes on while its process finishes its work, until that is done. */
  readonly throughShutdown: boolean;
}

/** How much one run does at most. */
export interface Bound {
  /** In one transaction. */
  readonly batch: number;
  /** In one run; infinite where it goes through all there is. */
  readonly batches: number;
  /** What is counted: `rows`. */
  readonly of: string;
}

/**
 * Declares recurring work.
 * @throws RangeError for a name or a time that cannot be
 */
export function recurring(declaration: {
  name: string;
  about: string;
  processes: readonly ProcessName[];
  every: Duration;
  leader: RecurringDefinition["leader"];
  bound: Bound;
  deadline: Duration;
  throughShutdown?: boolean;
}): RecurringDefinition {
  const { every, deadline, throughShutdown = false, ...rest } = declaration;
  checkName("recurring work", declaration.name);
  return {
    ...rest,
    everyMs: milliseconds(every),
    deadlineMs: milliseconds(deadline),
    throughShutdown,
  };
}
