import { errors, type Operation, type RateLimitState } from "@carillon/contract";
import type { Context } from "koa";
import type { Actor } from "./actor.ts";

export interface LimitedRequest {
  readonly operation: Operation;
  /** Undefined if no credentials are read. */
  readonly actor: Actor | undefined;
  readonly ip: string;
}

/** The state of the strictest rule. */
export interface LimitVerdict extends RateLimitState {
  /** Seconds to wait; present when the request is blocked. */
  readonly retryAfter?: number;
}

/** Counts requests against rate limits (http-contract.md §7); undefined if no rule applies. */
export interface Limiter {
  check(request: LimitedRequest): LimitVerdict | undefined | Promise<LimitVerdict | undefined>;
}

/** Admits everything. */
export const noLimiter: Limiter = { check: () => undefined };

/** Returns the response headers for a verdict. */
export function limitHeaders({ limit, remaining, reset }: RateLimitState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(reset),
  };
}

/**
 * Sets the response headers for a verdict.
 * @throws ApiError `RATE_LIMIT_HIT` when it blocks
 */
export function applyVerdict(ctx: Context, verdict: LimitVerdict): void {
  ctx.set(limitHeaders(verdict));
  if (verdict.retryAfter !== undefined) throw errors.rateLimitHit(verdict.retryAfter);
}
