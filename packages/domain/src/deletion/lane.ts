import { column, lockClass, statement, type Tx } from "@carillon/db";

const looked = statement({
  name: "deletion-lane",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.deletion}, 0) AS first,
    (SELECT last_value FROM messages_id_seq) AS newest`,
  row: { first: column.bool, newest: column.bigint },
});

/**
 * Says when a step of a deletion goes on. Several do at a time as long as nobody sends, on as many processors of the
 * database's. Else one batch at a time does, of all deletions: the other processors belong to those who send.
 */
export class Lane {
  /** The newest message at the last look. */
  #newest: number | undefined;

  /** Whether the transaction may go on; if not, it has to end, and another one has to look a while later. */
  async isFree(tx: Tx): Promise<boolean> {
    const look = await tx.first(looked);
    if (!look) throw new Error("a statement without a row");
    const quiet = look.newest === this.#newest;
    this.#newest = look.newest;
    return look.first || quiet;
  }
}
