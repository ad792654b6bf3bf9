import {
  collectWhenIdle,
  readEnvironment,
  reportUncaught,
  StartupError,
  unforeseen,
} from "@carillon/kit";
import { startStandalone, type Parts, type Standalone } from "./standalone.ts";

/** npm repeats a Ctrl-C that the terminal has sent already: signals within this time count as one. */
const sameWishMs = 500;

/**
 * Runs the standalone until a signal, or until the parent closes its IPC channel. Exits with 0, or prints one line and exits
 * with 1 when it cannot start. A second signal stops waiting for the apps.
 */
export async function runStandalone(parts: Parts): Promise<void> {
  const givenUp = new AbortController();
  reportUncaught();
  let starting: Promise<Standalone> | undefined;
  let askedAt: number | undefined;
  // Writing to a closed terminal fails.
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
      // An interrupted start has stopped what it had started.
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
