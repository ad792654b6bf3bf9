import { errors } from "@carillon/contract";
import type { Guesses } from "@carillon/domain";
import type { Secrets } from "@carillon/model";
import type { RateRule } from "@carillon/kit";

import type { SharedLimits } from "./shared-limits.ts";
import { verdictOf } from "./verdict.ts";

/** Limits attempts at an account's password (http-contract.md §7), across all processes. */
export function guessLimiter(
  limits: SharedLimits,
  rules: readonly RateRule[],
  secrets: Pick<Secrets, "digest">,
): Guesses {
  const bucket = (login: string) =>
    `login:${Buffer.from(secrets.digest(login)).toString("base64url").slice(0, 20)}`;
  return {
    async begin(login) {
      const verdict = verdictOf(await limits.take(bucket(login), rules));
      if (verdict.retryAfter !== undefined) throw errors.rateLimitHit(verdict.retryAfter, verdict);
    },
    end: (login) => limits.forget(bucket(login), rules),
  };
}
