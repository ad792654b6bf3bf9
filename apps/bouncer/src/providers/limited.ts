import pLimit from "p-limit";
import type { Provider } from "./provider.ts";

/** Wraps a provider with a concurrency limit; further notifications wait in order. */
export function limited(provider: Provider, atOnce: number): Provider {
  const limit = pLimit(atOnce);
  return {
    name: provider.name,
    handOver: (handover) => limit(() => provider.handOver(handover)),
    close: () => provider.close(),
  };
}
