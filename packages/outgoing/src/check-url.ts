import { isIP } from "node:net";

import type { AddressRules } from "./addresses.ts";

/** Maximum length of a URL that this server calls. */
export const maxUrlLength = 2_048;

/** Ports that browsers do not connect to either (Fetch standard, "bad port"): those of other protocols. */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/** A URL that may be called, or a problem with it, worded to follow the name of a parameter. */
export type CheckedUrl = { readonly url: URL } | { readonly problem: string };

/**
 * Checks a URL that this server is to call (bot-platform.md §4.1). Resolves no name: the addresses of names are checked at
 * each connection.
 * @param options `encrypted`: rejects http, except for literal addresses in allowed networks
 */
export function checkUrl(
  text: string,
  rules: AddressRules,
  { encrypted = false }: { readonly encrypted?: boolean } = {},
): CheckedUrl {
  if (text.length > maxUrlLength)
    return { problem: `must not have more than ${maxUrlLength} characters` };
  if (/[\0-\x20\x7f]|\p{Surrogate}/u.test(text))
    return { problem: "must not contain spaces and control characters" };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: "must be a URL beginning with http:// or https://" };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: "must be a URL beginning with http:// or https://" };
  if (url.username !== "" || url.password !== "")
    return { problem: "must not contain a user name or a password" };
  if (text.includes("#")) return { problem: "must not contain a fragment" };
  if (url.port !== "" && blockedPorts.has(Number(url.port)))
    return { problem: `must not name the port ${url.port}, which belongs to another protocol` };
  const literal = literalOf(url);
  if (literal !== undefined && !rules.allows(literal))
    return {
      problem: `names the address ${literal}, which this server may not call unless the operator allows it (OUTGOING_ALLOWED_NETWORKS)`,
    };
  if (encrypted && url.protocol === "http:" && !(literal !== undefined && rules.isNamed(literal)))
    return {
      problem:
        "must begin with https://, unless it names an address that the operator allows (OUTGOING_ALLOWED_NETWORKS)",
    };
  return { url };
}

/** Returns the address that the URL names instead of a host name; undefined for a host name. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}
