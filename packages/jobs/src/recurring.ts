import { milliseconds, type Duration } from "./duration.ts";
import { checkName } from "./named-once.ts";

/** A kind of process that runs recurring work. */
export type ProcessName = "gateway" | "worker" | "dashboard";

/** Work that runs by the clock, not because of an event. */
export interface RecurringDefinition {
  readonly name: string;
  /** Describes the work in one or two sentences, for the reference page. */
  readonly about: string;
  /** The kinds of processes that run it. */
  readonly processes: readonly ProcessName[];
  /** Milliseconds from one start to the next; if a run is still in progress, no other is started. */
  readonly everyMs: number;
  /**
   * `one`: only one process at a time does the work, in the whole installation or in an organization; the others find
   * the lock taken and try again at their next interval. `none`: several processes may work at once.
   */
  readonly leader: "one" | "one per organization" | "none";
  readonly bound: Bound;
  /** Milliseconds after which a run is cancelled. */
  readonly deadlineMs: number;
  /** Whether it continues during shutdown until its process has no work left. */
  readonly throughShutdown: boolean;
}

/** The most that one run processes. */
export interface Bound {
  /** Items per transaction. */
  readonly batch: number;
  /** Batches per run; infinite if a run processes everything. */
  readonly batches: number;
  /** The name of the items: `rows`. */
  readonly of: string;
}

/**
 * Declares recurring work.
 * @throws RangeError for an invalid name or time
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
