import { BlockList, isIP, isIPv4 } from "node:net";

/** Decides which addresses this server may connect to for others. */
export interface AddressRules {
  /**
   * Returns whether a connection to the address is allowed: a globally reachable address, or one in an allowed network.
   * @param address IPv4 or IPv6, without brackets and zone; anything else is refused
   */
  allows(address: string): boolean;
  /** Returns whether the address is in an allowed network. */
  isNamed(address: string): boolean;
}

/** An address range: address and prefix length. */
type Network = readonly [address: string, prefix: number];

/**
 * IPv4 ranges that IANA's registry of special-purpose addresses calls not globally reachable, and the former relays of
 * 6to4, multicast and reserved addresses.
 */
const refusedIPv4: readonly Network[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** IPv6 ranges that the registry calls not globally reachable, and those of older kinds of local addresses. */
const refusedIPv6: readonly Network[] = [
  // Unspecified, loopback, and the deprecated addresses with an IPv4 address in their last bits.
  ["::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["100:0:0:1::", 64],
  // Protocol assignments, Teredo, benchmarking and ORCHID among them.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

/** Parts of refused ranges that the registries call globally reachable. */
const exceptions: readonly Network[] = [
  ["192.0.0.9", 32],
  ["192.0.0.10", 32],
  ["2001:1::1", 128],
  ["2001:1::2", 128],
  ["2001:1::3", 128],
  ["2001:3::", 32],
  ["2001:4:112::", 48],
  ["2001:20::", 28],
  ["2001:30::", 28],
];

/**
 * IPv6 ranges whose addresses contain the IPv4 address that they stand for: mapped, NAT64 and 6to4.
 * `group`: index of the first of its two groups of 16 bits.
 */
const embedding: ReadonlyArray<{ readonly network: Network; readonly group: number }> = [
  { network: ["::ffff:0:0", 96], group: 6 },
  { network: ["64:ff9b::", 96], group: 6 },
  { network: ["2002::", 16], group: 1 },
];

const refused = listOf([...refusedIPv4, ...refusedIPv6]);
const reachable = listOf(exceptions);
const embeddingLists = embedding.map(({ network, group }) => ({ list: listOf([network]), group }));

/**
 * Makes the rules.
 * @param allowed networks that are allowed although they are not globally reachable: {@link parseNetworks}
 */
export function addressRules(allowed: readonly Network[] = []): AddressRules {
  const allowedList = listOf(allowed);
  const isNamed = (address: string) => {
    if (isIP(address) === 0) return false;
    const within = embeddedIPv4(address);
    return has(allowedList, address) || (within !== undefined && has(allowedList, within));
  };
  return {
    isNamed,
    allows(address) {
      if (isIP(address) === 0) return false;
      if (isNamed(address)) return true;
      const judged = embeddedIPv4(address) ?? address;
      return !has(refused, judged) || has(reachable, judged);
    },
  };
}

/**
 * Parses a list of networks in CIDR notation, separated by commas.
 * @throws RangeError naming the entry that is not a network
 */
export function parseNetworks(text: string): Network[] {
  return text.split(",").map((entry) => {
    const [address = "", length = "", ...rest] = entry.trim().split("/");
    const prefix = Number(length);
    const bits = isIPv4(address) ? 32 : 128;
    if (isIP(address) === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length) || prefix > bits)
      throw new RangeError(`"${entry.trim()}" is not a network`);
    return [address, prefix];
  });
}

/** Returns the IPv4 address that an IPv6 address contains; undefined if it contains none. */
function embeddedIPv4(address: string): string | undefined {
  if (isIPv4(address)) return undefined;
  const found = embeddingLists.find(({ list }) => has(list, address));
  if (!found) return undefined;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(found.group, found.group + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the eight groups of 16 bits of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser prints every spelling as groups of hexadecimal digits.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => parseInt(group, 16));
  const [first, last] = [numbers(head), numbers(tail ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks)
    list.addSubnet(address, prefix, isIPv4(address) ? "ipv4" : "ipv6");
  return list;
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
