import type { Database, Tx } from "@carillon/db";
import { type IdempotencyKey, isKeyConflict, storeAnswers, takeKey } from "@carillon/domain";

/**
 * Runs the only transaction of a request. If the request has a key, the transaction takes effect once, and stores the answer
 * with its COMMIT (once-and-again.md §1).
 * @param answerOf makes the fields of the operation's answer
 * @throws StoredAnswer if the request has been carried out before; ApiError
 */
export async function keyedTransaction<T>(
  db: Pick<Database, "transaction">,
  key: IdempotencyKey | undefined,
  work: (tx: Tx) => Promise<T>,
  answerOf: (result: T) => object | void,
): Promise<T> {
  if (!key) return db.transaction(work);
  return againAfterKeyConflict(() =>
    db.transaction(async (tx) => {
      const unused = await takeKey(tx, key);
      const result = await work(tx);
      storeAnswers(tx, [{ unused, answer: answerOf(result) ?? {} }]);
      return result;
    }),
  );
}

/** Runs `work`; runs it once more if another request has stored an answer for its key meanwhile, to find that answer. */
export async function againAfterKeyConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isKeyConflict(error)) throw error;
    return work();
  }
}
