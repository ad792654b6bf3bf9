import { firstCodePoints } from "@carillon/kit";

/** Longer names are cut to the length of their column (http-contract.md §9). */
const maxLength = 30;

/** Few programs send requests. The limits keep invented and long names from filling the memory. */
const cache = new Map<string, string>();
const cacheLimit = 500;
const maxCachedLength = 500;

/**
 * Returns the sending program's name: the parameter `client` when given, else the first token of `User-Agent`.
 * @returns at most 30 characters
 */
export function clientName(userAgent: string | undefined, parameter: string | undefined): string {
  if (parameter)
    return parameter.includes("\0") ? "InvalidUserAgent" : firstCodePoints(parameter, maxLength);
  if (userAgent === undefined) return "Unspecified";
  let name = cache.get(userAgent);
  if (name === undefined) {
    name = firstCodePoints(/^[^/\s(]*/.exec(userAgent)?.[0] ?? "", maxLength) || "InvalidUserAgent";
    if (userAgent.length > maxCachedLength) return name;
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(userAgent, name);
  }
  return name;
}
