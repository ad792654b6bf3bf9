import pLimit from "p-limit";
import type { Provider } from "./provider.ts";

/** The provider, given at most so many notifications at once; others wait for their turn. */
export function limited(provider: Provider, atOnce: number): Provider {
  const limit = pLimit(atOnce);
  return {
    name: provider.name,
    handOver: (handover) => limit(() => provider.handOver(handover)),
    close: () => provider.close(),
  };
}
