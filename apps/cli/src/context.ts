import type { Terminal } from "./terminal.ts";
import type { Variables } from "./run.ts";

/** What every command has. */
export interface Context {
  readonly terminal: Terminal;
  readonly variables?: Variables;
}
