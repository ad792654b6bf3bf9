import type { TransactionOptions, Transacts, Tx } from "@carillon/db";

/** Thrown if a message that is being sent, and is not visible yet, may become the channel's first message. */
export class ConcurrentSends extends Error {}

/**
 * Runs a transaction that removes messages. Others can send to the channels meanwhile. If a message being sent may
 * become a channel's first message (channels.md §1), the transaction starts again and blocks sending.
 * @param work receives whether it must block sending to the channels
 * @param options of each transaction
 */
export async function runRemoval<T>(
  db: Transacts<NoInfer<T>>,
  work: (tx: Tx, blockSends: boolean) => Promise<T>,
  options: Pick<TransactionOptions, "reusesPlans"> = {},
): Promise<T> {
  try {
    return await db.transaction((tx) => work(tx, false), options);
  } catch (error) {
    if (!(error instanceof ConcurrentSends)) throw error;
    return db.transaction((tx) => work(tx, true), options);
  }
}
