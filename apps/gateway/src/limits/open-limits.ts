import type { Database } from "@carillon/db";
import { type Guesses, unlimitedGuesses } from "@carillon/domain";
import type { Secrets } from "@carillon/model";
import {
  parseRateRules,
  type Environment,
  type Logger,
  type RateRule,
  type Shutdown,
} from "@carillon/kit";

import { noLimiter, type Limiter } from "../http/limit.ts";
import { guessLimiter } from "./guess-limiter.ts";
import { mailLimiter, type MailLimits, unlimitedMails } from "./mail-limiter.ts";
import { postgresHits } from "./postgres-hits.ts";
import { redisHits } from "./redis-hits.ts";
import { requestLimiter } from "./request-limiter.ts";
import { SharedLimits } from "./shared-limits.ts";

/** The rate limits of a gateway, and the number of failures. */
export interface Limits {
  readonly requests: Limiter;
  readonly guesses: Guesses;
  readonly mails: MailLimits;
  readonly invites: readonly RateRule[];
  readonly failures: () => number;
}

/** Opens the limits of `RATE_LIMITS`, counted in Redis if configured, else in the database. */
export function openLimits(
  parts: { env: Environment; log: Logger; db: Database; secrets: Secrets },
  shutdown: Shutdown,
): Limits {
  const { env, log, db, secrets } = parts;
  const rules = parseRateRules(env.RATE_LIMITS);
  if (!rules)
    return {
      requests: noLimiter,
      guesses: unlimitedGuesses,
      mails: unlimitedMails,
      invites: [],
      failures: () => 0,
    };
  const store = env.REDIS_URL === undefined ? postgresHits(db) : redisHits(env.REDIS_URL, log);
  const limits = new SharedLimits({ store, log });
  shutdown.add(1, "rate limits", () => limits.close());
  return {
    requests: requestLimiter(limits, rules),
    guesses: guessLimiter(limits, rules.login, secrets),
    mails: mailLimiter(limits, rules, secrets),
    invites: rules.invites,
    failures: () => limits.failures,
  };
}
