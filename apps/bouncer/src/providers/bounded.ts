import type { Clock } from "@carillon/kit";
import { withCircuit } from "./circuit.ts";
import { limited } from "./limited.ts";
import type { Provider } from "./provider.ts";

/**
 * Wraps a provider with a concurrency limit and a circuit breaker. The breaker is checked when a notification leaves the
 * limit's queue, so waiting ones do not reach a provider that has stopped answering.
 */
export function bounded(provider: Provider, atOnce: number, clock?: Clock): Provider {
  return limited(withCircuit(provider, clock), atOnce);
}
