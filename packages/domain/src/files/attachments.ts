import { attachmentAdded, type AttachmentObject, errors } from "@carillon/contract";
import { type PagedList, readList, type Sql, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, lockAccount } from "@carillon/model";
import { removedEvent, shownColumns } from "./attachment-object.ts";
import { contentTypeOf } from "./content-type.ts";
import { fileName, newPathId } from "./file-names.ts";
import { addImage, thumbnailKeysSql } from "./images.ts";
import { markObjectUsed, releaseObjects } from "./stored-objects.ts";
import { addToStorage, storageUsed } from "./storage-used.ts";

const sizes = statement({
  name: "attachments-sizes",
  text: `SELECT a.id, (400 + octet_length(a.name) + 12 * (
        SELECT count(*) FROM (SELECT FROM attachment_claims claim WHERE claim.attachment_id = a.id LIMIT 1000) counted
      ))::int AS bytes
    FROM attachments a WHERE a.owner_id = $1 ORDER BY a.id`,
});

const byIds = statement({
  name: "attachments-by-ids",
  text: `SELECT ${shownColumns} FROM attachments a
    WHERE a.owner_id = $1 AND a.id = ANY(ARRAY(SELECT unnest($2::int[]))) ORDER BY a.id`,
  overrides: { message_ids: typed<number[]>() },
});

/**
 * Lists the files that the account has uploaded, oldest first: as one array, or page by page if it is large.
 * @param sql a REPEATABLE READ transaction
 */
export async function listAttachments(
  sql: Sql,
  { id, realmId }: Account,
): Promise<{
  attachments: AttachmentObject[] | PagedList<AttachmentObject>;
  upload_space_used: number;
}> {
  const attachments = await readList(sql, await sql.rows(sizes, [id]), (one, ids) =>
    one.rows(byIds, [id, ids]),
  );
  return { attachments, upload_space_used: await storageUsed(sql, realmId) };
}

/** A file whose bytes are in the file store. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
  /** The `filename` of the file's part in the form. */
  readonly filename: string;
  /** The content type of the part; undefined if it has none. */
  readonly contentType: string | undefined;
  /** The first `sniffedBytes` of the file, or the whole file if it is shorter. */
  readonly head: Buffer;
}

const insert = statement({
  name: "attachment-insert",
  text: `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    RETURNING id, floor(extract(epoch FROM created_at))::bigint AS create_time`,
});

/**
 * Adds a stored file to the account's attachments (files.md §1).
 * @param quota bytes of the organization's uploads; undefined if there is no quota
 * @returns the file's name, and its path below `/user_uploads/`
 * @throws ApiError `REALM_UPLOAD_QUOTA`; `INTERNAL_ERROR` (503) if the deletion of the object has begun
 */
export async function addAttachment(
  tx: Tx,
  actor: Account,
  file: StoredFile,
  quota: number | undefined,
): Promise<{ name: string; pathId: string }> {
  const name = fileName(file.filename);
  const pathId = newPathId(actor.realmId, name);
  const contentType = await contentTypeOf(file.contentType, name, file.head);
  // Without this lock, clients could get the events of two changes in the wrong order.
  await lockAccount(tx, actor.realmId, actor.id);
  const values = [actor.realmId, actor.id, pathId, file.key, name, contentType, file.size];
  const [row] = await Promise.all([
    tx.first(insert, [...values, file.sha256]).then((inserted) => inserted!),
    markObjectUsed(tx, file.key),
  ]);
  await addImage(tx, actor, row.id, { contentType, head: file.head });
  // Last, because all uploads of the organization wait for this lock.
  const used = await addToStorage(tx, actor.realmId, file.size, quota);
  const attachment = { ...row, name, path_id: pathId, size: file.size, message_ids: [] };
  emit(tx, actor.realmId, [
    attachmentAdded({ attachment, upload_space_used: used }, { audience: [actor.id] }),
  ]);
  return { name, pathId };
}

const holdOwn = statement({
  name: "own-attachment-hold",
  text: `SELECT id FROM attachments WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE`,
});

const remove = statement({
  name: "attachment-delete",
  text: `DELETE FROM attachments WHERE owner_id = $1 AND id = $2
    RETURNING size, object_key AS "objectKey", ${thumbnailKeysSql("attachments.id")} AS thumbnails`,
  overrides: { thumbnails: typed<string[]>() },
});

/**
 * Deletes a file that the account has uploaded (files.md §4).
 * @throws ApiError `BAD_REQUEST` if the account has no such file
 */
export async function deleteAttachment(tx: Tx, actor: Account, id: number): Promise<void> {
  await lockAccount(tx, actor.realmId, actor.id);
  // The row is deleted by a later statement, which sees the thumbnails of a job that held the lock.
  await tx.lock({ name: "attachments", keys: [id] }, holdOwn, [actor.id, id]);
  const row = await tx.first(remove, [actor.id, id]);
  if (!row)
    throw errors.badRequest("You have no such file: the ID must be that of a file of yours");
  await releaseObjects(tx, [row.objectKey, ...row.thumbnails]);
  const used = await addToStorage(tx, actor.realmId, -row.size, undefined);
  emit(tx, actor.realmId, [removedEvent({ id, ownerId: actor.id }, used)]);
}
