import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

import proxyAddr from "proxy-addr";

import { StartupError, type Environment } from "./environment.ts";

/**
 * Where a request comes from: who connects, and where that is a proxy of `TRUSTED_PROXIES`, whom its
 * `X-Forwarded-For` names. Nobody else's header is believed: anybody can send one.
 * @throws StartupError naming TRUSTED_PROXIES
 */
export function clientAddress({
  TRUSTED_PROXIES: trusted,
}: Environment): (request: IncomingMessage) => string {
  try {
    const names = trusted?.split(",").map((name) => name.trim()) ?? [];
    const trust = proxyAddr.compile(names);
    return (request) => proxyAddr(request, trust);
  } catch (error) {
    throw new StartupError(
      `TRUSTED_PROXIES must be addresses, networks (10.0.0.0/8), or loopback, linklocal, uniquelocal, with commas: ${(error as Error).message}`,
    );
  }
}

/** The network that an address is limited with: itself, and for IPv6 the /64, which is what one customer has at least. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%", 1)[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  while (groups.length + behind.length < 8) groups.push("0");
  const whole = [...groups, ...behind].slice(0, 4);
  return `${whole.map((group) => parseInt(group, 16).toString(16)).join(":")}::/64`;
}
