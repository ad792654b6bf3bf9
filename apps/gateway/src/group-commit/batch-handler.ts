import type { Tx } from "@carillon/db";
import type { BatchContext, BatchOutcome } from "@carillon/domain";
import type { Site } from "@carillon/model";

/** How an operation checks and writes several requests in one transaction. */
export interface BatchHandler<Request, Result> {
  /**
   * Checks and writes requests of one organization, and returns the outcome of each, in their order. It may be run
   * again: it must have no effect outside of the transaction.
   */
  readonly write: (
    tx: Tx,
    site: Site,
    requests: readonly Request[],
    context: BatchContext,
  ) => Promise<ReadonlyArray<BatchOutcome<Result>>>;
  /** UTF-16 units of the text that has to be parsed and rendered. */
  readonly weigh: (request: Request) => number;
}

/**
 * Thrown by a batch handler to roll back: the requests with an outcome leave the batch, and the others share the next
 * transaction. None of the outcomes is `committed` or `retryLater`, and there is one at least.
 */
export class LeavingBatch extends Error {
  /** One for each request; undefined for a request that stays in the batch. */
  readonly outcomes: ReadonlyArray<BatchOutcome<never> | undefined>;

  constructor(outcomes: ReadonlyArray<BatchOutcome<never> | undefined>) {
    super("some requests leave the batch");
    this.outcomes = outcomes;
  }
}

/** Limits of one {@link BatchQueue}. */
export interface GroupBounds {
  /** Requests in one transaction. */
  readonly requests: number;
  /** Their text, in UTF-16 units; it is parsed and rendered without a pause. A single request may have more. */
  readonly weight: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** Text of the requests that wait, in UTF-16 units. */
  readonly waitingWeight: number;
}

/**
 * At most ten transactions, of 20 to 100 ms each, and 20 MB wait. The text of one batch is as long as the longest
 * message.
 */
export const groupBounds: GroupBounds = {
  requests: 100,
  weight: 20_000,
  waiting: 1_000,
  waitingWeight: 10_000_000,
};
