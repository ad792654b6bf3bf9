import { column, lockClass } from "@carillon/db";

/** What a step looks at in the transaction of each batch: whether it is the first of those that go on, and the newest message. */
export const laneLook = {
  columns: `pg_try_advisory_xact_lock(${lockClass.deletion}, 0) AS first, (SELECT last_value FROM messages_id_seq) AS newest`,
  row: { first: column.bool, newest: column.bigint },
};

/**
 * Says when a step of a deletion goes on. Several do at a time, on as many processors of the database's, as long as nobody
 * sends. Else one of them goes on, and the others wait a while after each of their batches: processors belong to those
 * who send first.
 */
export class Lane {
  /** The newest message at the last look. */
  #newest: number | undefined;
  #free = true;

  /** Whether the next batch may follow at once; if not, it comes after a while. */
  get isFree(): boolean {
    return this.#free;
  }

  /** Takes in what a batch has seen. */
  saw({ first, newest }: { readonly first: boolean; readonly newest: number }): void {
    this.#free = first || newest === this.#newest;
    this.#newest = newest;
  }
}
