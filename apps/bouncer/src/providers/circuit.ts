import { type Clock, systemClock } from "@carillon/kit";
import type { Outcome, Provider } from "./provider.ts";

/** Consecutive unsure outcomes that open the circuit. */
const threshold = 3;
/** How long the circuit stays open before one notification is tried, in milliseconds. */
const openMs = 15_000;

/**
 * Wraps a provider with a circuit breaker that opens while the provider accepts notifications without answering: each of
 * them may be lost, since it is never handed over again. While it is open, notifications are `undelivered`, and the server
 * repeats them.
 */
export function withCircuit(provider: Provider, clock: Clock = systemClock): Provider {
  let unsure = 0;
  let openUntil = 0;
  let trying = false;
  return {
    name: provider.name,
    close: () => provider.close(),
    async handOver(handover): Promise<Outcome> {
      const open = unsure >= threshold;
      if (open && (trying || clock.now() < openUntil))
        return { kind: "undelivered", why: "circuit open" };
      if (open) trying = true;
      try {
        const outcome = await provider.handOver(handover);
        unsure = outcome.kind === "unsure" ? unsure + 1 : 0;
        if (unsure >= threshold) openUntil = clock.now() + openMs;
        return outcome;
      } finally {
        if (open) trying = false;
      }
    },
  };
}
