export type { Variables } from "./context.ts";
export { runCommandLine } from "./run.ts";
export type { Terminal } from "./terminal.ts";
export type * from "./statement-rows.ts";
