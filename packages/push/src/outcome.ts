/** Error codes of the bouncer that only an operator can fix (push.md §3, §4). */
export const adminCodes = [
  /** The organization is unknown to the bouncer. */
  "MISSING_REMOTE_REALM",
  /** Wrong credentials: `PUSH_SERVER_ID` or `PUSH_SERVER_KEY`. */
  "INVALID_ZULIP_SERVER",
  /** The plan does not allow push notifications, or not for so many users. */
  "PUSH_NOTIFICATIONS_DISALLOWED",
  /** Not an answer of a bouncer, such as a redirect: `PUSH_BOUNCER_URL` may be wrong. */
  "UNEXPECTED_STATUS",
] as const;

export type AdminCode = (typeof adminCodes)[number];

/** Why a call failed. It contains no keys, tokens, payloads or text of the bouncer, so it may be logged and stored. */
export type BouncerFailure =
  /**
   * The bouncer refuses this request permanently (4xx). `code` is for clients: `INVALID_BOUNCER_PUBLIC_KEY`,
   * `REQUEST_EXPIRED`, else `BAD_REQUEST`.
   */
  | { readonly kind: "permanent"; readonly code: string; readonly reason: string }
  /**
   * A retry may succeed. `at` says where it failed: `transport`, no complete answer in time (consecutive ones open the
   * circuit); `bouncer`, a 5xx or a malformed answer. `retryAfterMs` is the bouncer's requested delay, at most {@link
   * maxRetryAfterMs}.
   */
  | {
      readonly kind: "retry";
      readonly at: "transport" | "bouncer";
      readonly reason: string;
      readonly retryAfterMs?: number;
    }
  /** 429: too many calls. It does not count as an attempt; all calls wait for this time. */
  | { readonly kind: "limited"; readonly retryAfterMs: number; readonly reason: string }
  /** Needs an operator; every call fails until then. */
  | { readonly kind: "adminActionRequired"; readonly code: AdminCode; readonly reason: string };

/** Outcome of a call. `done` has the bouncer's answer. */
export type BouncerOutcome<Answer> =
  | { readonly kind: "done"; readonly answer: Answer }
  | BouncerFailure;

/** Upper bound of the bouncer's requested delay, in milliseconds. */
export const maxRetryAfterMs = 600_000;
