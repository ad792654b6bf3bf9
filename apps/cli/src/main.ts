import { constants } from "node:os";

import { reportUncaught } from "@carillon/kit";

import { Cleanups } from "./cleanups.ts";
import { runCommandLine } from "./run.ts";
import { ownTerminal } from "./terminal.ts";

reportUncaught();
const cleanups = new Cleanups();
const terminal = ownTerminal();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  // A second signal kills the process at once.
  process.once(signal, () => {
    terminal.note(`carillon: interrupted by ${signal}`);
    void cleanups.interrupt().then(() => process.exit(128 + constants.signals[signal]));
  });
const code = await runCommandLine(process.argv.slice(2), terminal, { cleanups });
// After an interruption, the signal handler exits.
if (!cleanups.interrupted) process.exitCode ||= code;
