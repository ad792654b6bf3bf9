import { collectSooner } from "./collect-sooner.ts";
import { collectWhenIdle } from "./collect-when-idle.ts";
import { whenReleased } from "./held.ts";
import { reportUncaught, unforeseen } from "./report-uncaught.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Runs the start of a process, after its parent has released it if it is held. A {@link StartupError} is printed as
 * one line on standard error without a stack, any other error with its stack; both end with exit code 1.
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
      `${error instanceof StartupError ? error.message : unforeseen(error)}\n`,
      () => process.exit(1),
    );
  }
}
