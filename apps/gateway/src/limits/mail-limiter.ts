import { createHash } from "node:crypto";

import { errors } from "@carillon/contract";
import { networkOf, type RateRules } from "@carillon/kit";
import type { Secrets } from "@carillon/model";

import type { SharedLimits } from "./shared-limits.ts";
import { verdictOf } from "./verdict.ts";

/** Limits requests without credentials that may send a mail (people.md §8), across all processes. */
export interface MailLimits {
  /**
   * Counts a request that may send a mail, by the network that it comes from.
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  countMail(ip: string): Promise<void>;
  /**
   * Counts a request for a password reset.
   * @param login key of the account; addresses without an account are counted in the same way
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  countReset(login: string): Promise<void>;
}

/** An implementation without limits. */
export const unlimitedMails: MailLimits = { countMail: async () => {}, countReset: async () => {} };

/** Limits by the rules `mail` and `reset`. The store gets digests, no addresses. */
export function mailLimiter(
  limits: SharedLimits,
  rules: Pick<RateRules, "mail" | "reset">,
  secrets: Pick<Secrets, "digest">,
): MailLimits {
  const count = async (kind: "mail" | "reset", digest: Uint8Array) => {
    const bucket = `${kind}:${Buffer.from(digest).toString("base64url").slice(0, 20)}`;
    const verdict = verdictOf(await limits.take(bucket, rules[kind]));
    if (verdict.retryAfter !== undefined) throw errors.rateLimitHit(verdict.retryAfter, verdict);
  };
  return {
    countMail: (ip) => count("mail", createHash("sha256").update(networkOf(ip)).digest()),
    countReset: (login) => count("reset", secrets.digest(login)),
  };
}
