import { createHash } from "node:crypto";

import { networkOf, type RateRules } from "@carillon/kit";

import type { Limiter } from "../http/limit.ts";
import type { SharedLimits } from "./shared-limits.ts";
import { verdictOf } from "./verdict.ts";

/**
 * Probes ask for health: a rate limit must not make the process look ill. The files of the browser client are in memory,
 * and cost less than counting; an office behind one address loads many of them.
 */
const unlimited = new Set(["get-health", "get-web-client", "get-web-client-file"]);

/**
 * Limits requests (http-contract.md §7) for each account, with bots apart from their owners, and without an account for
 * each network.
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

/** The store distinguishes addresses without storing them. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 20);
}
