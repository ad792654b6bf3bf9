export { runCommandLine, type Variables } from "./run.ts";
export type { Terminal } from "./terminal.ts";
