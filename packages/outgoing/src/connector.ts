import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

import type { buildConnector } from "undici";

import type { AddressRules } from "./addresses.ts";
import { RefusedAddress } from "./refused-address.ts";

/** Resolves a name to all of its addresses. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: Resolve = (name, done) =>
  systemLookup(name, { all: true }, (error, addresses) => done(error, addresses ?? []));

/** Time limit of a connection up to the end of the TLS handshake, in milliseconds. */
const connectMs = 5_000;

/**
 * Makes the function that connects. It resolves the name itself, refuses it if one of its addresses is refused, and
 * connects only to the checked addresses: a name that resolves differently the next time gains nothing.
 */
export function judgingConnector(
  build: typeof buildConnector,
  rules: AddressRules,
  { timeoutMs, resolve = resolveBySystem }: { timeoutMs: number; resolve?: Resolve | undefined },
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses;
      if (error || !first) {
        callback(error ?? new Error("the name has no address"), "", 0);
        return;
      }
      const refused = addresses.find(({ address }) => !rules.allows(bare(address)));
      if (refused) {
        callback(refusal(refused.address), "", 0);
        return;
      }
      if (options.all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
  const connect = build({
    lookup,
    timeout: Math.min(connectMs, timeoutMs),
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
    // Node does not call `lookup` for a literal address.
    if (isIP(host) !== 0 && !rules.allows(host)) callback(refusal(host), null);
    else connect({ ...options, hostname: host }, callback);
  };
}

/** Returns the address without the zone that a link-local one may have. */
function bare(address: string): string {
  return address.split("%", 1)[0] ?? "";
}

function refusal(address: string): RefusedAddress {
  return new RefusedAddress(
    `the address ${address} may not be called: it is not public, and not in OUTGOING_ALLOWED_NETWORKS`,
  );
}
