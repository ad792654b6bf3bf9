import type { ErrorCode, ErrorReason } from "./error-codes.ts";

/** Fields of an error answer in addition to `result`, `msg` and `code`: JSON values in wire spelling. */
export type ErrorFields = Readonly<Record<string, unknown>>;

/** The state of the strictest rate limit that a request counts towards. */
export interface RateLimitState {
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** UNIX seconds when the window is fully free. */
  readonly reset: number;
}

/** Further facts about an error. */
interface ErrorFacts {
  /** Why, if the code alone does not say it. */
  readonly reason?: ErrorReason;
  /** Seconds after which the same request may succeed; may have a fraction. */
  readonly retryAfter?: number;
  readonly rateLimit?: RateLimitState;
}

/**
 * An error whose code, message and facts are sent to the client; the gateway maps them to status and headers. All
 * layers throw it, made by the functions of `errors`. Any other error is sent as a generic `INTERNAL_ERROR`.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorFields;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}, facts: ErrorFacts = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.fields = fields;
    this.facts = facts;
  }
}
