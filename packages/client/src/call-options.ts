/** Options of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits for a retry; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The key of a request that may be repeated; one is made for each call unless given. Give one that you have stored to
   * repeat a request after a restart.
   */
  readonly idempotencyKey?: string | undefined;
  /** How often the request may be repeated; the client's `retries` unless given. */
  readonly retries?: number | undefined;
  /** Milliseconds for one attempt; the client's `timeoutMs` unless given. */
  readonly timeoutMs?: number | undefined;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body of the few operations that take bytes. */
  readonly body?: RequestInit["body"] | undefined;
}
