import type { Clock } from "@carillon/kit";
import { withCircuit } from "./circuit.ts";
import { limited } from "./limited.ts";
import type { Provider } from "./provider.ts";

/**
 * The provider, given at most so many notifications at once, and left alone while it says nothing. Whether it is left
 * alone is looked at when a notification's turn comes: what waits when it falls silent is not given to it.
 */
export function bounded(provider: Provider, atOnce: number, clock?: Clock): Provider {
  return limited(withCircuit(provider, clock), atOnce);
}
