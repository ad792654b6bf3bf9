import type { Store } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { clearCalls } from "./store/calls.ts";
import { clearRates } from "./store/rate.ts";

const everyMs = 60_000;
const batch = 1_000;
/** Batches of one round: more wait for the next. */
const batches = 100;

/** Forgets what is too old to matter. Several processes may do it at once. */
export async function clearOnce(store: Store): Promise<void> {
  await clearRates(store);
  for (let done = 0; done < batches; done++) if ((await clearCalls(store, batch)) < batch) return;
}

/** Does so once a minute. @returns what ends it, once a round that goes on is over */
export function startClearing(store: Store, log: Logger): () => Promise<void> {
  let round = Promise.resolve();
  const timer = setInterval(() => {
    round = round
      .then(() => clearOnce(store))
      .catch((error: unknown) => log.error({ err: error }, "old calls could not be cleared"));
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return round;
  };
}
