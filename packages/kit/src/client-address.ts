import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";

import proxyAddr from "proxy-addr";

import type { Environment } from "./environment.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Returns the client address of a request: the peer, or, if the peer is in `TRUSTED_PROXIES`, the address in
 * `X-Forwarded-For`. That header is read from the right, where the nearest proxies write, up to the first address
 * that is not a trusted proxy: anything to its left can be forged. If the entry is not an address, the last proxy's
 * is used.
 * @throws StartupError naming TRUSTED_PROXIES
 */
export function clientAddress({
  TRUSTED_PROXIES: trusted,
}: Environment): (request: IncomingMessage) => string {
  try {
    const names = trusted?.split(",").map((name) => name.trim()) ?? [];
    const trust = proxyAddr.compile(names);
    return (request) => {
      const addresses = proxyAddr.all(request, trust);
      const last = addresses.at(-1) ?? "";
      const address = isIP(last) === 0 ? (addresses.at(-2) ?? "") : last;
      return withoutMapping(address);
    };
  } catch (error) {
    throw new StartupError(
      `TRUSTED_PROXIES must be addresses, networks (10.0.0.0/8), or loopback, linklocal, uniquelocal, with commas: ${(error as Error).message}`,
    );
  }
}

/** Turns an IPv4-mapped address of a dual-stack socket (`::ffff:1.2.3.4`) into plain IPv4. */
function withoutMapping(address: string): string {
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
}

/**
 * Returns the network whose addresses share a rate limit: an IPv4 address alone, or the /64 of an IPv6 address, which is
 * the smallest network that providers assign to a customer.
 */
export function networkOf(address: string): string {
  const plain = withoutMapping(address);
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.toLowerCase().split("%", 1)[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  while (groups.length + behind.length < 8) groups.push("0");
  const whole = [...groups, ...behind].slice(0, 4);
  return `${whole.map((group) => parseInt(group, 16).toString(16)).join(":")}::/64`;
}
