import {
  collectWhenIdle,
  readEnvironment,
  reportUncaught,
  StartupError,
  unforeseen,
} from "@carillon/kit";
import { startStandalone, type Parts, type Standalone } from "./standalone.ts";

/** npm passes Ctrl-C on to a process that has it from the terminal already: one wish, told twice. */
const sameWishMs = 500;

/**
 * Runs the standalone as this process: until a signal, or until the program that started it with a channel
 * is gone. Ends with exit code 0, or with one line and 1 when it cannot start. A second signal stops
 * waiting for the apps.
 */
export async function runStandalone(parts: Parts): Promise<void> {
  const givenUp = new AbortController();
  reportUncaught();
  let starting: Promise<Standalone> | undefined;
  let askedAt: number | undefined;
  // A terminal that was closed takes no text any more.
  process.stdout.on("error", () => {});

  const stop = () => {
    if (askedAt !== undefined && performance.now() - askedAt < sameWishMs) return;
    parts.print(
      askedAt === undefined
        ? "Stopping … What has begun is ended first; Ctrl-C once more ends it at once."
        : "Stopping at once …",
    );
    askedAt = performance.now();
    givenUp.abort();
    void starting
      ?.then((standalone) => standalone.stop())
      // A start that was broken off has stopped what it had started.
      .catch(() => undefined)
      .then(() => parts.print("Carillon has stopped."))
      .then(() => process.exit(0));
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
  if (process.channel) process.on("disconnect", stop);

  try {
    starting = startStandalone(readEnvironment(), parts, givenUp.signal);
    await starting;
    collectWhenIdle();
  } catch (error) {
    if (givenUp.signal.aborted) return;
    console.error(error instanceof StartupError ? error.message : unforeseen(error));
    process.exit(1);
  }
}
