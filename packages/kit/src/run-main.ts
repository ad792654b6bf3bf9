import { collectSooner } from "./collect-sooner.ts";
import { collectWhenIdle } from "./collect-when-idle.ts";
import { whenReleased } from "./preload.ts";
import { reportUncaught, formatUnexpectedError } from "./report-uncaught.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Runs the start of a process; a preloaded process first waits until its parent releases it. Prints a {@link
 * StartupError} as one line on standard error without a stack, and any other error with its stack; both end the process
 * with exit code 1.
 */
export async function runMain(start: () => Promise<void>): Promise<void> {
  collectSooner();
  reportUncaught();
  try {
    await whenReleased();
    await start();
    collectWhenIdle();
  } catch (error) {
    process.stderr.write(
      `${error instanceof StartupError ? error.message : formatUnexpectedError(error)}\n`,
      () => process.exit(1),
    );
  }
}
