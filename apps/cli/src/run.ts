import { ApiError } from "@carillon/contract";
import { StorageUnavailable } from "@carillon/files";
import { StartupError, formatUnexpectedError } from "@carillon/kit";
import { CommanderError } from "commander";

import { Interrupted, Cleanups } from "./cleanups.ts";
import type { Context } from "./context.ts";
import { commandLine } from "./program.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const done = 0;
const refused = 1;
const misused = 2;
/** The code by which shells report Ctrl-C. */
const interrupted = 130;

/**
 * Runs a command line.
 * @param options.variables default: those of this process
 * @param options.cleanups run when the command is interrupted
 * @param options.progressMs see {@link Context}
 * @returns the exit code: 0 success, 1 refused or failed, 2 usage error, 130 interrupted
 */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
  options: Partial<Omit<Context, "terminal">> = {},
): Promise<number> {
  const { cleanups = new Cleanups() } = options;
  try {
    const program = commandLine({ ...options, terminal, cleanups });
    await program.parseAsync([...words], { from: "user" });
    return done;
  } catch (error) {
    // Failures that the interruption causes are not reported.
    if (cleanups.interrupted) return interrupted;
    // Commander has printed the error. Requested help is a success; help printed because the command is missing is a
    // usage error.
    if (error instanceof CommanderError)
      return error.exitCode === 0 && error.code !== "commander.help" ? done : misused;
    terminal.note(`carillon: ${errorText(error)}`);
    if (error instanceof Interrupted) return interrupted;
    return error instanceof UsageError ? misused : refused;
  }
}

/** Formats an error; only unexpected ones with their stack. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = [UsageError, StartupError, StorageUnavailable, ApiError, Interrupted].some(
    (kind) => error instanceof kind,
  );
  // System errors: a full disk, a folder in place of a file.
  const ofSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return foreseen || ofSystem ? error.message : formatUnexpectedError(error);
}
