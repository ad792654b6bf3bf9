import { constants } from "node:os";

import { reportUncaught } from "@carillon/kit";

import { Holds } from "./holds.ts";
import { runCommandLine } from "./run.ts";
import { ownTerminal } from "./terminal.ts";

reportUncaught();
const holds = new Holds();
const terminal = ownTerminal();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  // A second one ends it where it stands.
  process.once(signal, () => {
    terminal.note(`carillon: broken off by ${signal}`);
    void holds.breakOff().then(() => process.exit(128 + constants.signals[signal]));
  });
const code = await runCommandLine(process.argv.slice(2), terminal, { holds });
// Who broke it off ends it.
if (!holds.over) process.exitCode ||= code;
