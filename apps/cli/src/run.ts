import { ApiError } from "@carillon/contract";
import { StartupError, unforeseen } from "@carillon/kit";
import { CommanderError } from "commander";

import { BrokenOff, Holds } from "./holds.ts";
import { commandLine } from "./program.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The variables of the process, or of a test. */
export type Variables = Readonly<Record<string, string | undefined>>;

const done = 0;
const refused = 1;
const misused = 2;
/** What shells say of a program that Ctrl-C ended. */
const brokenOff = 130;

/**
 * Does what a command line says.
 * @param options.variables those of this process unless given
 * @param options.holds what has to be let go of where the command is broken off
 * @returns the exit code: 0 done, 1 refused or failed, 2 typed in wrong, 130 broken off
 */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
  options: { readonly variables?: Variables; readonly holds?: Holds } = {},
): Promise<number> {
  const { variables, holds = new Holds() } = options;
  try {
    const program = commandLine({ terminal, holds, ...(variables && { variables }) });
    await program.parseAsync([...words], { from: "user" });
    return done;
  } catch (error) {
    // What fails because of that is no news.
    if (holds.over) return brokenOff;
    // It has said what is wrong already. Help that was asked for is no error; help instead of a command is.
    if (error instanceof CommanderError)
      return error.exitCode === 0 && error.code !== "commander.help" ? done : misused;
    terminal.note(`carillon: ${toldOf(error)}`);
    if (error instanceof BrokenOff) return brokenOff;
    return error instanceof UsageError ? misused : refused;
  }
}

/** Where in our code it happened is told only of what nobody has foreseen. */
function toldOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = [UsageError, StartupError, ApiError, BrokenOff].some(
    (kind) => error instanceof kind,
  );
  // A disk that is full, a folder in place of a file.
  const ofSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return foreseen || ofSystem ? error.message : unforeseen(error);
}
