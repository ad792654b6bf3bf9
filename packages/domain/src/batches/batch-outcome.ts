/**
 * The outcome of one request in a transaction that writes several. The transaction commits whatever the outcomes are, so
 * a request that is not `committed` must have written nothing.
 */
export type BatchOutcome<Result> =
  /** The request is carried out with this COMMIT. */
  | { readonly kind: "committed"; readonly result: Result }
  /** The caller gets the error. */
  | { readonly kind: "rejected"; readonly error: Error }
  /** The transaction had no room for the request, which comes first in a later one. Never the outcome of the first request. */
  | { readonly kind: "retryLater" }
  /**
   * The request needs a lock that a batch must not wait for. It runs again in its own transaction, serialized with the
   * requests that have the same key.
   */
  | { readonly kind: "serialize"; readonly key: number };

/** Rejects a request with the error. */
export function rejected(error: Error): BatchOutcome<never> {
  return { kind: "rejected", error };
}

/** What a batch handler must know about the transaction it shares. */
export interface BatchContext {
  /** Whether the transaction holds a single request, and may wait for locks. */
  readonly canBlock: boolean;
  /** Maximum copies of messages that the transaction writes, if not the usual one. */
  readonly maxCopies?: number;
  /** Whether earlier requests with this key are waiting to run one at a time. */
  isSerialized(key: number): boolean;
}

/** The context of a request that runs in its own transaction. */
export const singleRequest: BatchContext = { canBlock: true, isSerialized: () => false };
