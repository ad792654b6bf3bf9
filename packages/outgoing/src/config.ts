import { StartupError, type Environment } from "@carillon/kit";

import { addressRules, parseNetworks, type AddressRules } from "./addresses.ts";

/** Configuration of the calls of URLs that members of organizations have set. */
export interface OutgoingConfig {
  readonly rules: AddressRules;
  /** Time limit of a call, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Reads the configuration of calls.
 * @throws StartupError naming the variable
 */
export function outgoingConfig({
  OUTGOING_ALLOWED_NETWORKS: networks,
  OUTGOING_TIMEOUT: seconds,
}: Pick<Environment, "OUTGOING_ALLOWED_NETWORKS" | "OUTGOING_TIMEOUT">): OutgoingConfig {
  return { rules: rulesOf(networks), timeoutMs: seconds * 1_000 };
}

function rulesOf(networks: string | undefined): AddressRules {
  try {
    return addressRules(networks === undefined ? [] : parseNetworks(networks));
  } catch (error) {
    throw new StartupError(
      `OUTGOING_ALLOWED_NETWORKS must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas: ${(error as Error).message}`,
    );
  }
}
