import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";

import proxyAddr from "proxy-addr";

import type { Environment } from "./environment.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Where a request comes from: who connects, and where that is a proxy of `TRUSTED_PROXIES`, whom its
 * `X-Forwarded-For` names. It is read from the right, where the proxies next to us write, up to the first address that is
 * no proxy of ours: what stands to the left of it anybody can send. What is no address names nobody: then it is the proxy.
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

/** An IPv4 address as people write it, where a socket of both kinds has it as `::ffff:1.2.3.4`. */
function withoutMapping(address: string): string {
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
}

/** The network that an address is limited with: itself, and for IPv6 the /64, which is what one customer has at least. */
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
