/** What the bouncer says of its own accord that only an operator can mend (push.md §3, §4). */
export const adminCodes = [
  /** The organization's data was never uploaded. */
  "MISSING_REMOTE_REALM",
  /** Wrong credentials: `PUSH_SERVER_ID` or `PUSH_SERVER_KEY`. */
  "INVALID_ZULIP_SERVER",
  /** The plan has no push notifications, or none for so many people. */
  "PUSH_NOTIFICATIONS_DISALLOWED",
  /** An answer that no bouncer gives, such as a redirection: `PUSH_BOUNCER_URL` may be wrong. */
  "UNEXPECTED_STATUS",
] as const;

export type AdminCode = (typeof adminCodes)[number];

/**
 * Why a call did not do what it was to do. No text of it has keys, tokens, payloads or words of the bouncer: it may be
 * logged and kept in a row.
 */
export type BouncerFailure =
  /**
   * The bouncer refuses this very request (4xx): the same request will not be taken later. `code` is for clients:
   * `INVALID_BOUNCER_PUBLIC_KEY`, `REQUEST_EXPIRED`, else `BAD_REQUEST`.
   */
  | { readonly kind: "permanent"; readonly code: string; readonly reason: string }
  /**
   * Later it may go well. `at` says where it failed: `transport`, nobody answered, or not in time, or not to the end
   * (such failures in a row open the circuit); `bouncer`, it answered with 5xx, or with something that is no answer.
   * `retryAfterMs` is how long the bouncer wants to be left alone, at most {@link longestRetryAfterMs}.
   */
  | {
      readonly kind: "retry";
      readonly at: "transport" | "bouncer";
      readonly reason: string;
      readonly retryAfterMs?: number;
    }
  /** 429: too many calls. It counts as no attempt, and nobody calls the bouncer for so long. */
  | { readonly kind: "limited"; readonly retryAfterMs: number; readonly reason: string }
  /** An operator has to do something; until then every call comes to this. */
  | { readonly kind: "adminActionRequired"; readonly code: AdminCode; readonly reason: string };

/** What became of a call. `done` has what the bouncer answered. */
export type BouncerOutcome<Answer> =
  | { readonly kind: "done"; readonly answer: Answer }
  | BouncerFailure;

/** However long the bouncer wants to be left alone, it is asked again after so long, in milliseconds. */
export const longestRetryAfterMs = 600_000;
