import { errors } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";

const read = statement({
  name: "realm-storage-used",
  text: `SELECT bytes_used AS used FROM realm_storage WHERE realm_id = $1`,
});

/** Returns the total bytes of the organization's uploads. */
export async function storageUsed(sql: Sql, realmId: number): Promise<number> {
  return (await sql.rows(read, [realmId]))[0]?.used ?? 0;
}

/**
 * SQL: adds bytes to the total of an organization, if that does not exceed the quota, and returns the new total as `used`.
 * @param realmId parameters of the statement
 */
export const addingToStorage = (
  realmId: string,
  bytes: string,
  quota: string,
) => `INSERT INTO realm_storage AS storage (realm_id, bytes_used)
      SELECT ${realmId}, ${bytes}::bigint WHERE ${bytes}::bigint <= ${quota}::bigint
      ON CONFLICT (realm_id) DO UPDATE SET bytes_used = storage.bytes_used + ${bytes}::bigint
        WHERE storage.bytes_used + ${bytes}::bigint <= ${quota}::bigint
      RETURNING bytes_used AS used`;

const take = statement({
  name: "realm-storage-take",
  text: `WITH locked AS (
      SELECT realm_id FROM realm_storage WHERE realm_id = ANY($1::int[]) ORDER BY realm_id FOR NO KEY UPDATE)
    UPDATE realm_storage storage SET bytes_used = storage.bytes_used - gone.bytes
    FROM locked JOIN unnest($1::int[], $2::bigint[]) AS gone (realm_id, bytes) USING (realm_id)
    WHERE storage.realm_id = locked.realm_id
    RETURNING storage.realm_id AS "realmId", storage.bytes_used AS used`,
});

/**
 * Subtracts deleted files from the totals of their organizations. The rows stay locked until the transaction ends.
 * @returns the new totals by organization
 */
export async function takeFromStorage(
  tx: Tx,
  files: ReadonlyArray<{ readonly realmId: number; readonly size: number }>,
): Promise<ReadonlyMap<number, number>> {
  const bytes = new Map<number, number>();
  for (const { realmId, size } of files) bytes.set(realmId, (bytes.get(realmId) ?? 0) + size);
  const keys = [...bytes.keys()].toSorted((a, b) => a - b);
  if (keys.length === 0) return new Map();
  const lock = { name: "storage", keys } as const;
  const rows = await tx.lock(lock, take, [keys, keys.map((key) => bytes.get(key))]);
  return new Map(rows.map(({ realmId, used }) => [realmId, used]));
}

/**
 * Refuses an upload that would exceed the quota, before its bytes are read.
 * @param bytes size of the upload, estimated from its `Content-Length`
 * @throws ApiError `REALM_UPLOAD_QUOTA`
 */
export async function checkQuota(
  sql: Sql,
  realmId: number,
  bytes: number,
  quota: number,
): Promise<void> {
  if ((await storageUsed(sql, realmId)) + bytes > quota) throw errors.uploadQuota(quota);
}
