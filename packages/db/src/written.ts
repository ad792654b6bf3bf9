/**
 * What became of one request in a transaction that writes several. Nothing that is not done may have written anything:
 * the transaction commits all the same.
 */
export type Written<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "refused"; readonly error: Error }
  /** Not with those before it: it is to come first in a later transaction. Never of the first one. */
  | { readonly kind: "later" }
  /** Not with others: it has to wait for what others hold, by whose number all that wait for it stand in one line. */
  | { readonly kind: "apart"; readonly awaits: number };

/** Of a request that is refused: the caller gets to read the error. */
export function refused(error: Error): Written<never> {
  return { kind: "refused", error };
}

/** In whose company requests are written. */
export interface Company {
  /** It is one request, which has waited for its turn apart, and may wait for what others hold. */
  readonly mayWait: boolean;
  /** Whether others, who came earlier, wait apart for what has that number. */
  isAwaited(number: number): boolean;
}

/** Of one request in a transaction of its own. */
export const onItsOwn: Company = { mayWait: true, isAwaited: () => false };
