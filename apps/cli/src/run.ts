import { ApiError } from "@carillon/contract";
import { StartupError } from "@carillon/kit";
import { CommanderError } from "commander";

import { commandLine } from "./program.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The variables of the process, or of a test. */
export type Variables = Readonly<Record<string, string | undefined>>;

const done = 0;
const refused = 1;
const misused = 2;

/**
 * Does what a command line says.
 * @param variables those of this process unless given
 * @returns the exit code: 0 done, 1 refused or failed, 2 typed in wrong
 */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
  variables?: Variables,
): Promise<number> {
  try {
    const program = commandLine({ terminal, ...(variables && { variables }) });
    await program.parseAsync([...words], { from: "user" });
    return done;
  } catch (error) {
    // It has said what is wrong already. Help that was asked for is no error; help instead of a command is.
    if (error instanceof CommanderError)
      return error.exitCode === 0 && error.code !== "commander.help" ? done : misused;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const foreseen = [UsageError, StartupError, ApiError].some((kind) => error instanceof kind);
    terminal.note(`carillon: ${foreseen ? message : (stack ?? message)}`);
    return error instanceof UsageError ? misused : refused;
  }
}
