import type { Holds } from "./holds.ts";
import type { Variables } from "./run.ts";
import type { Terminal } from "./terminal.ts";

/** What every command has. */
export interface Context {
  readonly terminal: Terminal;
  readonly holds: Holds;
  readonly variables?: Variables;
}
