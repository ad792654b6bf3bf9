import { lockClass, notNull } from "@carillon/db";

/** Columns for {@link DeletionThrottle.update}, which a step selects in the transaction of each batch. */
export const throttleColumns = {
  text: `pg_try_advisory_xact_lock(${lockClass.deletion}, 0) AS first, (SELECT last_value FROM messages_id_seq) AS newest`,
  overrides: { newest: notNull },
};

/**
 * Throttles the steps of deletions while messages are sent, so that senders get the processors: the step that holds the
 * advisory lock continues, and every other step pauses after each of its batches. While no messages are sent, all steps
 * run at full speed.
 */
export class DeletionThrottle {
  /** The newest message id at the last batch. */
  #newest: number | undefined;
  #isThrottled = false;

  /** Whether to pause before the next batch. */
  get isThrottled(): boolean {
    return this.#isThrottled;
  }

  /**
   * Throttles a step without the lock if messages were sent since its last batch.
   * @param first whether this step holds the advisory lock
   * @param newest id of the newest message
   */
  update({ first, newest }: { readonly first: boolean; readonly newest: number }): void {
    this.#isThrottled = !first && newest !== this.#newest;
    this.#newest = newest;
  }
}
