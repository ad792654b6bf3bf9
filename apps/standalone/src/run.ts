import {
  collectWhenIdle,
  readEnvironment,
  reportUncaught,
  StartupError,
  formatUnexpectedError,
} from "@carillon/kit";
import { startStandalone, type Parts, type Standalone } from "./standalone.ts";

/** npm sends a second signal for one Ctrl-C: signals within this time count as one. */
const repeatedSignalMs = 500;

/**
 * Runs the standalone until a signal, or until the parent closes its IPC channel. Exits with 0, or prints one line and exits
 * with 1 when it cannot start. A second signal stops waiting for the apps.
 */
export async function runStandalone(parts: Parts): Promise<void> {
  const cancelled = new AbortController();
  reportUncaught();
  let starting: Promise<Standalone> | undefined;
  let signalledAt: number | undefined;
  // Writing to a closed terminal fails.
  process.stdout.on("error", () => {});

  const stop = () => {
    if (signalledAt !== undefined && performance.now() - signalledAt < repeatedSignalMs) return;
    parts.print(
      signalledAt === undefined
        ? "Stopping … waiting for requests and jobs in progress. Press Ctrl-C again to stop immediately."
        : "Stopping immediately …",
    );
    signalledAt = performance.now();
    cancelled.abort();
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
    starting = startStandalone(readEnvironment(), parts, cancelled.signal);
    await starting;
    collectWhenIdle();
  } catch (error) {
    if (cancelled.signal.aborted) return;
    console.error(error instanceof StartupError ? error.message : formatUnexpectedError(error));
    process.exit(1);
  }
}
