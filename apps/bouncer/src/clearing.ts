import type { Store } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { clearCalls } from "./store/calls.ts";
import { clearRates } from "./store/rate.ts";

const everyMs = 60_000;
const batch = 1_000;
/** Batches of one run; the rest waits for the next run. */
const batches = 100;

/** Deletes old calls and rate slices. Several processes may run it at once. */
export async function clearOnce(store: Store): Promise<void> {
  await clearRates(store);
  for (let done = 0; done < batches; done++) if ((await clearCalls(store, batch)) < batch) return;
}

/** Runs {@link clearOnce} every minute. @returns a function that stops it and waits for the current run */
export function startClearing(store: Store, log: Logger): () => Promise<void> {
  let round = Promise.resolve();
  const timer = setInterval(() => {
    round = round
      .then(() => clearOnce(store))
      .catch((error: unknown) => log.error({ err: error }, "clearing old calls failed"));
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return round;
  };
}
