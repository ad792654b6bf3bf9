import { type AttachmentObject, errors } from "@carillon/contract";
import { type PagedList, readList, type Sql, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, lockAccount } from "@carillon/model";
import { removedEvent, shownColumns } from "./attachment-object.ts";
import { recordDroppedPreviews, thumbnailKeysSql, waitingClaimsSql } from "./images.ts";
import { releaseObjects } from "./stored-objects.ts";
import { takeFromStorage, storageUsed } from "./storage-used.ts";

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

const lockOwn = statement({
  name: "own-attachment-lock",
  text: `SELECT id FROM attachments WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE`,
});

const remove = statement({
  name: "attachment-delete",
  text: `DELETE FROM attachments WHERE owner_id = $1 AND id = $2
    RETURNING size, object_key AS "objectKey", path_id AS "pathId", content_type AS "contentType",
      ${thumbnailKeysSql("attachments.id")} AS thumbnails, ${waitingClaimsSql("attachments.id")} AS waiting`,
  overrides: { thumbnails: typed<string[]>(), waiting: typed<number[]>() },
});

/**
 * Deletes a file that the account has uploaded (files.md §4).
 * @throws ApiError `BAD_REQUEST` if the account has no such file
 */
export async function deleteAttachment(tx: Tx, actor: Account, id: number): Promise<void> {
  await lockAccount(tx, actor.realmId, actor.id);
  // The row is deleted by a later statement, which sees the thumbnails of a job that held the lock.
  await tx.lock({ name: "attachments", keys: [id] }, lockOwn, [actor.id, id]);
  const row = await tx.first(remove, [actor.id, id]);
  if (!row)
    throw errors.badRequest("You have no such file: the ID must be that of a file of yours");
  await releaseObjects(tx, [row.objectKey, ...row.thumbnails]);
  // Otherwise these messages would show for ever that the picture is being loaded.
  if (row.waiting) await recordDroppedPreviews(tx, actor.realmId, { id, ...row }, row.waiting);
  const { realmId } = actor;
  const totals = await takeFromStorage(tx, [{ realmId, size: row.size }]);
  const used = totals.get(realmId) ?? 0;
  emit(tx, actor.realmId, [removedEvent({ id, ownerId: actor.id }, used)]);
}
