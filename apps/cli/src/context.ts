import type { Cleanups } from "./cleanups.ts";
import type { Terminal } from "./terminal.ts";

/** The variables of the process, or of a test. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The arguments of every command. */
export interface Context {
  readonly terminal: Terminal;
  readonly cleanups: Cleanups;
  readonly variables?: Variables;
  /** Minimum milliseconds between two lines of progress; default 5,000. */
  readonly progressMs?: number;
}
