import type { Company, Lifetime, Tx, Written } from "@carillon/db";
import type { Site } from "@carillon/model";

/** How requests of an operation are written together. */
export interface Batch<Request, Result> {
  /**
   * Checks and writes requests of one organization, and says of each, in their order, what became of it. It may be run
   * again: it must have no effect outside of the transaction.
   */
  readonly write: (
    tx: Tx,
    site: Site,
    requests: readonly Request[],
    company: Company,
  ) => Promise<ReadonlyArray<Written<Result>>>;
  /** UTF-16 units of the text that has to be read and rendered. */
  readonly weigh: (request: Request) => number;
}

/** A request, and who waits for what becomes of it. */
export interface Member<Request, Result> {
  readonly accountId: number;
  readonly weight: number;
  readonly request: Request;
  readonly lifetime: Lifetime;
  /** When it came, by `performance.now()`. */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Whether nobody waits for it any more. */
export function isGone({ lifetime }: { readonly lifetime: Lifetime }): boolean {
  return lifetime.reason !== undefined;
}

/** How much goes and waits together. */
export interface GroupBounds {
  /** Requests of one transaction. */
  readonly requests: number;
  /** Their text, in UTF-16 units; it is read and rendered without a pause. One request may have more. */
  readonly weight: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** The text of those. */
  readonly waitingWeight: number;
}

/** What waits is ten transactions, of 20 to 100 ms each, and 20 MB at most; what is rendered together is as long as the longest message. */
export const groupBounds: GroupBounds = {
  requests: 100,
  weight: 20_000,
  waiting: 1_000,
  waitingWeight: 10_000_000,
};
