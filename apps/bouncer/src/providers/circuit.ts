import { type Clock, systemClock } from "@carillon/kit";
import type { Outcome, Provider } from "./provider.ts";

/** After so many in a row of which nobody knows whether the provider has them … */
const most = 3;
/** … it is left alone for so long, in milliseconds; then one is tried. */
const restMs = 15_000;

/**
 * The provider, left alone while it takes notifications and says nothing: each of them may be lost, since it is not
 * handed over again. What comes meanwhile is `undelivered`, and comes again.
 */
export function withCircuit(provider: Provider, clock: Clock = systemClock): Provider {
  let unsure = 0;
  let restUntil = 0;
  let trying = false;
  return {
    name: provider.name,
    close: () => provider.close(),
    async handOver(handover): Promise<Outcome> {
      const open = unsure >= most;
      if (open && (trying || clock.now() < restUntil))
        return { kind: "undelivered", why: "resting" };
      if (open) trying = true;
      try {
        const outcome = await provider.handOver(handover);
        unsure = outcome.kind === "unsure" ? unsure + 1 : 0;
        if (unsure >= most) restUntil = clock.now() + restMs;
        return outcome;
      } finally {
        if (open) trying = false;
      }
    },
  };
}
