import { randomBytes } from "node:crypto";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { type Account, lockAccount } from "@carillon/model";
import { expireObjects } from "./stored-objects.ts";

/*
 * Resumable uploads (files.md §7). A row of `resumable_uploads` is in one of these states, which the column `path_id`
 * distinguishes: NULL (open) or a path (finished).
 *
 *     begin → open ── finish ──→ finished
 *               │                    │
 *               └── 24 h, or remove ─┴──→ deleted
 *
 * The received bytes are those of the parts, in the order of `start`, and then the tail. Each part is an object of the file
 * store. The ledger (stored-objects.ts) keeps it as unused and deletes it 24 hours after it was reserved; the upload began
 * earlier, so it expires earlier. The transaction that adds the attachment counts the last bytes as received, so that
 * `received` equals `size` only if the file exists.
 *
 * Only the request that holds the lease changes an upload. Each change checks the lease: a process that was stopped for
 * longer than the lease lasts changes nothing after another request has taken it.
 */

/** Lifetime of an upload in milliseconds. */
export const resumableMs = 24 * 3_600_000;

/** Milliseconds after which a lease that is not renewed may be taken by another request. */
export const resumableLeaseMs = 30_000;

/** Maximum unfinished uploads of an account. */
export const maxResumable = 100;

/** Creates the id of an upload or of a lease: 144 random bits. */
export function newResumableId(): string {
  return randomBytes(18).toString("base64url");
}

const columns = `id, size, metadata, received, tail, path_id AS "pathId", name,
      extract(epoch FROM created_at)::float8 AS "createdAt"`;

/** SQL: whether an upload has not expired. */
const isAlive = `created_at > clock_timestamp() - interval '24 hours'`;

/** An upload. Sizes are in bytes, `createdAt` is in UNIX seconds. */
export type ResumableUpload = RowOf<typeof find>;

const find = statement({
  name: "resumable-upload",
  text: `SELECT ${columns} FROM resumable_uploads
    WHERE id = $1 AND realm_id = $2 AND owner_id = $3 AND ${isAlive}`,
});

/** Returns an upload of the account; undefined if it has none with this id, or it has expired. */
export async function findResumable(
  sql: Sql,
  owner: Account,
  id: string,
): Promise<ResumableUpload | undefined> {
  return (await sql.rows(find, [id, owner.realmId, owner.id]))[0];
}

const begin = statement({
  name: "resumable-upload-begin",
  text: `INSERT INTO resumable_uploads (id, realm_id, owner_id, size, metadata, lease_id, lease_until)
    SELECT $1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond'
    WHERE (SELECT count(*) FROM resumable_uploads WHERE owner_id = $3 AND path_id IS NULL AND ${isAlive}) < $8
    RETURNING extract(epoch FROM created_at)::float8 AS "createdAt"`,
});

/** The data of an upload that begins. */
export interface NewResumable {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** The header `Upload-Metadata`. */
  readonly metadata: string;
}

/**
 * Inserts an upload and gives its lease to the caller.
 * @returns when it was created, in UNIX seconds; undefined if the account has {@link maxResumable} unfinished uploads
 */
export async function beginResumable(
  tx: Tx,
  owner: Account,
  { id, size, metadata }: NewResumable,
  leaseId: string,
): Promise<number | undefined> {
  // Without this lock, concurrent requests could exceed the maximum together.
  await lockAccount(tx, owner.realmId, owner.id);
  const values = [id, owner.realmId, owner.id, size, metadata, leaseId, resumableLeaseMs];
  return (await tx.first(begin, [...values, maxResumable]))?.createdAt;
}

const lease = statement({
  name: "resumable-upload-lease",
  text: `UPDATE resumable_uploads SET lease_id = $4, lease_until = clock_timestamp() + $5 * interval '1 millisecond'
    WHERE id = $1 AND realm_id = $2 AND owner_id = $3 AND ${isAlive}
      AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING ${columns}`,
});

/**
 * Takes the lease of an upload.
 * @returns the upload; `leased` if another request holds the lease; `missing` as for {@link findResumable}
 */
export async function leaseResumable(
  sql: Sql,
  owner: Account,
  id: string,
  leaseId: string,
): Promise<ResumableUpload | "leased" | "missing"> {
  const values = [id, owner.realmId, owner.id];
  const [taken] = await sql.rows(lease, [...values, leaseId, resumableLeaseMs]);
  return taken ?? ((await findResumable(sql, owner, id)) ? "leased" : "missing");
}

const renew = statement({
  name: "resumable-upload-renew",
  text: `UPDATE resumable_uploads SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE id = $1 AND lease_id = $2 RETURNING id`,
});

/**
 * Prolongs a lease that is still held. In a transaction, other requests cannot take the lease until its end.
 * @returns false if the lease is lost
 */
export async function renewResumable(sql: Sql, id: string, leaseId: string): Promise<boolean> {
  return (await sql.rows(renew, [id, leaseId, resumableLeaseMs])).length > 0;
}

const release = statement({
  name: "resumable-upload-release",
  text: `UPDATE resumable_uploads SET lease_id = NULL, lease_until = NULL WHERE id = $1 AND lease_id = $2`,
});

/** Releases a lease. */
export async function releaseResumable(sql: Sql, id: string, leaseId: string): Promise<void> {
  await sql.rows(release, [id, leaseId]);
}

const setTail = statement({
  name: "resumable-upload-tail",
  text: `UPDATE resumable_uploads SET tail = $3, received = $4
    WHERE id = $1 AND lease_id = $2 AND path_id IS NULL AND ${isAlive} RETURNING id`,
});

/**
 * Replaces the tail. @param received bytes of parts and tail
 * @returns false if the lease is lost
 */
export async function setResumableTail(
  sql: Sql,
  id: string,
  leaseId: string,
  tail: Buffer,
  received: number,
): Promise<boolean> {
  return (await sql.rows(setTail, [id, leaseId, tail, received])).length > 0;
}

const addPart = statement({
  name: "resumable-upload-add-part",
  text: `WITH upload AS (UPDATE resumable_uploads SET tail = '', received = $3::bigint + $4::bigint
      WHERE id = $1 AND lease_id = $2 AND path_id IS NULL AND ${isAlive} RETURNING id)
    INSERT INTO resumable_parts (upload_id, start, size, object_key) SELECT id, $3::bigint, $4::bigint, $5 FROM upload
    RETURNING upload_id`,
});

/** Bytes of an upload in an object of the file store. */
export type ResumablePart = RowOf<typeof parts>;

/**
 * Adds a part, which contains the tail.
 * @returns false if the lease is lost
 */
export async function addResumablePart(
  sql: Sql,
  id: string,
  leaseId: string,
  { start, size, key }: ResumablePart,
): Promise<boolean> {
  return (await sql.rows(addPart, [id, leaseId, start, size, key])).length > 0;
}

const parts = statement({
  name: "resumable-upload-parts",
  text: `SELECT start, size, object_key AS key FROM resumable_parts WHERE upload_id = $1 ORDER BY start`,
});

/** Lists the parts of an upload in order. */
export function listResumableParts(sql: Sql, id: string): Promise<ResumablePart[]> {
  return sql.rows(parts, [id]);
}

const removeParts = statement({
  name: "resumable-parts-delete",
  text: `DELETE FROM resumable_parts WHERE upload_id = $1 RETURNING object_key AS key`,
});

/** Deletes the rows of all parts of an upload, and makes their objects due for deletion. The caller has checked the lease. */
async function removePartsOf(tx: Tx, id: string): Promise<void> {
  const removed = await tx.rows(removeParts, [id]);
  await expireObjects(
    tx,
    removed.map(({ key }) => key),
  );
}

const insertPart = statement({
  name: "resumable-part-insert",
  text: `INSERT INTO resumable_parts (upload_id, start, size, object_key) VALUES ($1, 0, $2, $3)`,
});

/**
 * Replaces all parts by one with the same bytes.
 * @returns false if the lease is lost
 */
export async function joinResumableParts(
  tx: Tx,
  id: string,
  leaseId: string,
  joined: Pick<ResumablePart, "size" | "key">,
): Promise<boolean> {
  if (!(await renewResumable(tx, id, leaseId))) return false;
  await removePartsOf(tx, id);
  await tx.rows(insertPart, [id, joined.size, joined.key]);
  return true;
}

const finish = statement({
  name: "resumable-upload-finish",
  text: `UPDATE resumable_uploads SET path_id = $3, name = $4, received = size, tail = ''
    WHERE id = $1 AND lease_id = $2 AND path_id IS NULL AND ${isAlive} RETURNING id`,
});

/**
 * Finishes an upload, whose attachment the transaction has added. The objects of its parts are deleted soon.
 * @returns false if the lease is lost: the transaction must be rolled back
 */
export async function finishResumable(
  tx: Tx,
  id: string,
  leaseId: string,
  { pathId, name }: { readonly pathId: string; readonly name: string },
): Promise<boolean> {
  if ((await tx.rows(finish, [id, leaseId, pathId, name])).length === 0) return false;
  await removePartsOf(tx, id);
  return true;
}

const remove = statement({
  name: "resumable-upload-delete",
  text: `DELETE FROM resumable_uploads WHERE id = $1`,
});

/**
 * Deletes an upload. The objects of its parts are deleted soon; the attachment of a finished upload stays.
 * @returns false if the lease is lost
 */
export async function removeResumable(tx: Tx, id: string, leaseId: string): Promise<boolean> {
  if (!(await renewResumable(tx, id, leaseId))) return false;
  await removePartsOf(tx, id);
  await tx.rows(remove, [id]);
  return true;
}

const expire = statement({
  name: "resumable-uploads-expire",
  text: `DELETE FROM resumable_uploads WHERE id = ANY(ARRAY(
      SELECT id FROM resumable_uploads WHERE created_at <= now() - interval '24 hours'
      ORDER BY created_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id`,
});

/**
 * Deletes up to `limit` expired uploads. The ledger deletes the objects of their parts.
 * @returns the number of deleted uploads
 */
export async function expireResumable(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(expire, [limit])).length;
}
