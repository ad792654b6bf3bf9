import { errors } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";

/*
 * The ledger of the file store (files.md §8). Each object has a row in one of these states, which the column
 * `delete_after` distinguishes: a future time (unused), NULL (used) or `-infinity` (claimed).
 *
 *     reserve → unused ──────── use ───────→ used
 *                 │ ↑                          │
 *     claim (24 h)│ └──── release (24 h) ──────┘
 *                 ↓
 *              claimed → object deleted → forget
 *
 * A failed upload claims its object at once, without waiting for 24 hours. A claimed row is never used again, so its object
 * is deleted without holding a lock. No crash leaves a used row without its object, or an object without a row.
 */

/** Milliseconds after its reservation in which the storing of an object must begin. */
export const reservationMs = 30 * 60_000;

const reserve = statement({
  name: "stored-objects-reserve",
  text: `INSERT INTO stored_objects (key, delete_after)
    SELECT unnest($1::text[]), now() + interval '24 hours' + $2 * interval '1 millisecond'`,
});

/**
 * Inserts the rows of objects that will be stored. Must be committed before the first byte is written. An object is kept for
 * 24 hours if its storing begins within {@link reservationMs}.
 */
export async function reserveObjects(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql.rows(reserve, [keys, reservationMs]);
}

/**
 * SQL: whether an object may be marked as used. Not `now()`, the start of the transaction: a row that has become due since
 * then is refused too.
 */
export const stillUnused = "delete_after > clock_timestamp()";

const use = statement({
  name: "stored-object-use",
  text: `UPDATE stored_objects SET delete_after = NULL WHERE key = $1 AND ${stillUnused}`,
});

/**
 * Marks an object as used by a row that the transaction inserts.
 * @throws ApiError `INTERNAL_ERROR` (503) if the object is due for deletion or claimed
 */
export async function markObjectUsed(tx: Tx, key: string): Promise<void> {
  if ((await tx.count(use, [key])) === 0) throw errors.storageUnavailable();
}

const release = statement({
  name: "stored-objects-release",
  text: `UPDATE stored_objects SET delete_after = now() + interval '24 hours' WHERE key = ANY($1::text[])`,
});

/** Marks objects as unused. They are deleted 24 hours later, so that a running backup can still read them. */
export async function releaseObjects(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.rows(release, [keys]);
}

const expire = statement({
  name: "stored-objects-expire",
  text: `UPDATE stored_objects SET delete_after = now() WHERE key = ANY($1::text[]) AND delete_after > now()`,
});

/** Makes unused objects due for deletion at once. */
export async function expireObjects(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await tx.rows(expire, [keys]);
}

const claimOne = statement({
  name: "stored-object-claim",
  text: `UPDATE stored_objects SET delete_after = '-infinity' WHERE key = $1 AND delete_after IS NOT NULL RETURNING key`,
});

/**
 * Claims an object whose upload has failed. Waits for a transaction that is marking it as used.
 * @returns whether to delete the object: false if it is used
 */
export async function claimUnused(sql: Sql, key: string): Promise<boolean> {
  return (await sql.rows(claimOne, [key])).length > 0;
}

const claimDue = statement({
  name: "stored-objects-claim-due",
  text: `UPDATE stored_objects SET delete_after = '-infinity' WHERE key = ANY(ARRAY(
      SELECT key FROM stored_objects WHERE delete_after <= now() ORDER BY delete_after LIMIT $1
      FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING key`,
});

/** Claims up to `limit` objects that are due, those of interrupted deletions first. Returns their keys. */
export async function claimDueObjects(sql: Sql, limit: number): Promise<string[]> {
  return (await sql.rows(claimDue, [limit])).map(({ key }) => key);
}

const forget = statement({
  name: "stored-objects-forget",
  text: `DELETE FROM stored_objects WHERE key = ANY($1::text[])`,
});

/** Deletes the rows of objects that have been deleted from the store. */
export async function forgetObjects(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql.rows(forget, [keys]);
}
