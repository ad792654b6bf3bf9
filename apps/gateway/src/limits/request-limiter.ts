import { createHash } from "node:crypto";

import { networkOf, type RateRules } from "@carillon/kit";

import type { Limiter } from "../http/limit.ts";
import type { SharedLimits } from "./shared-limits.ts";
import { verdictOf } from "./verdict.ts";

/**
 * Operations without a rate limit. Health: a limit would make the process look unhealthy to probes. Files of the browser
 * client: they are in memory and cost less than counting, and an office behind one address loads many of them.
 */
const unlimited = new Set(["get-health", "get-web-client", "get-web-client-file"]);

/**
 * Limits the requests of each account (http-contract.md §7); a bot has limits of its own. Limits requests without an
 * account by their network.
 */
export function requestLimiter(limits: SharedLimits, rules: RateRules): Limiter {
  return {
    check({ operation, actor, ip }) {
      if (unlimited.has(operation.id)) return undefined;
      const { rateBucket } = operation;
      const prefix = rateBucket === undefined ? "" : `${rateBucket}-`;
      const taken = actor
        ? limits.take(`${prefix}user:${actor.id}`, rules[rateBucket ?? "user"])
        : limits.take(`${prefix}ip:${digest(networkOf(ip))}`, rules[rateBucket ?? "ip"]);
      return taken instanceof Promise ? taken.then(verdictOf) : verdictOf(taken);
    },
  };
}

/** Returns a digest of an address, so that the store can distinguish addresses without storing them. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 20);
}
