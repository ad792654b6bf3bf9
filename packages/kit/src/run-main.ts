import { collectSooner } from "./collect-sooner.ts";
import { collectWhenIdle } from "./collect-when-idle.ts";
import { whenReleased } from "./held.ts";
import { reportUncaught, unforeseen } from "./report-uncaught.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Runs a process's start, once its parent lets it where that holds it. What the person who started it can mend ends as one line on standard error and exit code 1,
 * without a stack; anything else with its stack, and exit code 1 too.
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
