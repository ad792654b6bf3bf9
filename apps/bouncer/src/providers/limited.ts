import { Semaphore } from "@carillon/kit";
import type { Provider } from "./provider.ts";

/** Wraps a provider with a concurrency limit; further notifications wait in order. */
export function limited(provider: Provider, atOnce: number): Provider {
  const semaphore = new Semaphore(atOnce);
  return {
    name: provider.name,
    handOver: (handover) => semaphore.run(() => provider.handOver(handover)),
    close: () => provider.close(),
  };
}
