import { attachmentAdded, errors } from "@carillon/contract";
import { packed, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, lockAccounts, type Site, tryLockAccounts } from "@carillon/model";
import {
  type BatchContext,
  type BatchOutcome,
  rejected,
  singleRequest,
} from "../batches/batch-outcome.ts";
import { contentTypeOf } from "./content-type.ts";
import { fileName, newPathId } from "./file-names.ts";
import { addImages } from "./images.ts";
import { stillUnused } from "./stored-objects.ts";
import { addingToStorage, takeFromStorage } from "./storage-used.ts";

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

/** A stored file that is about to become an attachment of an account. */
export interface NewAttachment {
  readonly actor: Account;
  readonly file: StoredFile;
  readonly name: string;
  /** The path below `/user_uploads/`. */
  readonly pathId: string;
  readonly contentType: string;
}

/** Gives a stored file its name, its path and its content type (files.md §1). */
export async function newAttachment(actor: Account, file: StoredFile): Promise<NewAttachment> {
  const name = fileName(file.filename);
  const pathId = newPathId(actor.realmId, name);
  const contentType = await contentTypeOf(file.contentType, name, file.head);
  return { actor, file, name, pathId, contentType };
}

/** Key under which uploads that may exceed the quota are serialized. Other uploads use the id of their account. */
const queueOfQuota = 0;

/**
 * Adds the bytes of all files to the organization's total, marks their objects as used, and inserts their rows. Writes
 * nothing and returns one row with `used` NULL if the quota has no room for all files. Inserts no row for a file whose object
 * is due for deletion, but counts its bytes.
 */
const insert = statement({
  name: "attachments-insert",
  text: `WITH room AS (${addingToStorage("$1", "$2", "$3")}),
    used AS (
      UPDATE stored_objects SET delete_after = NULL
      WHERE key = ANY($6::text[]) AND ${stillUnused} AND EXISTS (SELECT FROM room) RETURNING key),
    added AS (
      INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
      SELECT $1, new.owner_id, new.path_id, new.object_key, new.name, new.content_type, new.size, new.sha256
      FROM unnest($4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bytea[])
        WITH ORDINALITY AS new (owner_id, path_id, object_key, name, content_type, size, sha256, position)
      JOIN used ON used.key = new.object_key ORDER BY new.position
      RETURNING id, object_key, floor(extract(epoch FROM created_at))::bigint AS create_time)
    SELECT room.used, added.id, added.object_key AS "objectKey", added.create_time
    FROM (SELECT) once LEFT JOIN room ON true LEFT JOIN added ON true`,
});

/**
 * Adds stored files of one organization to the attachments of their accounts (files.md §1). All of them share one change of
 * the organization's total, for which all uploads of the organization wait.
 */
export async function addAttachments(
  tx: Tx,
  site: Site,
  uploads: readonly NewAttachment[],
  context: BatchContext,
): Promise<Array<BatchOutcome<NewAttachment>>> {
  const { realmId } = uploads[0]!.actor;
  if (context.isSerialized(queueOfQuota)) return uploads.map(() => serialize(queueOfQuota));
  // Without these locks, clients could get the events of two changes in the wrong order.
  const owners = [...new Set(uploads.map(({ actor }) => actor.id))];
  const locked: ReadonlyMap<number, Pick<Account, "isActive">> = context.canBlock
    ? await lockAccounts(tx, realmId, owners)
    : await tryLockAccounts(tx, realmId, owners);
  const mustWait = ({ actor: { id } }: NewAttachment) =>
    !context.canBlock && (!locked.has(id) || context.isSerialized(id));
  // An upload takes up to an hour: its account may have been deactivated meanwhile.
  const isActive = ({ actor: { id } }: NewAttachment) => locked.get(id)?.isActive === true;
  const quota = site.uploads.quota ?? Number.MAX_SAFE_INTEGER;
  const addable = uploads.filter((upload) => !mustWait(upload) && isActive(upload));
  const added = await insertAll(tx, realmId, addable, quota);
  return uploads.map((upload) => {
    if (mustWait(upload)) return serialize(upload.actor.id);
    if (!isActive(upload)) return rejected(errors.unauthorized());
    // The uploads of the batch exceed the quota together; some of them may fit, so they are tried one by one.
    if (!added)
      return context.canBlock ? rejected(errors.uploadQuota(quota)) : serialize(queueOfQuota);
    return added.has(upload)
      ? { kind: "committed", result: upload }
      : rejected(errors.storageUnavailable());
  });
}

/**
 * Adds one stored file in its own transaction.
 * @throws ApiError `REALM_UPLOAD_QUOTA`; `INTERNAL_ERROR` (503) if the deletion of the object has begun
 */
export async function addAttachment(tx: Tx, site: Site, upload: NewAttachment): Promise<void> {
  const [outcome] = await addAttachments(tx, site, [upload], singleRequest);
  if (outcome?.kind === "rejected") throw outcome.error;
}

/**
 * Inserts the rows of files and emits their events. Skips files whose objects are due for deletion. Writes nothing if all
 * files together exceed the quota.
 * @returns the inserted files; undefined if nothing was written
 */
async function insertAll(
  tx: Tx,
  realmId: number,
  uploads: readonly NewAttachment[],
  quota: number,
): Promise<ReadonlySet<NewAttachment> | undefined> {
  if (uploads.length === 0) return new Set();
  const bytes = uploads.reduce((sum, { file }) => sum + file.size, 0);
  // Last of the locks, because all uploads of the organization wait for it.
  const rows = await tx.lock({ name: "storage", keys: [realmId] }, insert, [
    realmId,
    bytes,
    quota,
    packed.ints(uploads.map(({ actor }) => actor.id)),
    packed.texts(uploads.map(({ pathId }) => pathId)),
    packed.texts(uploads.map(({ file }) => file.key)),
    packed.texts(uploads.map(({ name }) => name)),
    packed.texts(uploads.map(({ contentType }) => contentType)),
    packed.bigints(uploads.map(({ file }) => file.size)),
    packed.byteas(uploads.map(({ file }) => file.sha256)),
  ]);
  const used = rows[0]?.used ?? undefined;
  if (used === undefined) return undefined;
  const byKey = new Map(rows.map((row) => [row.objectKey, row]));
  const added = uploads.flatMap((upload) => {
    const { id = null, create_time = null } = byKey.get(upload.file.key) ?? {};
    return id === null || create_time === null ? [] : [{ upload, id, create_time }];
  });
  const addedBytes = added.reduce((sum, { upload }) => sum + upload.file.size, 0);
  let upload_space_used = used - bytes;
  emit(
    tx,
    realmId,
    added.map(({ upload: { actor, name, pathId, file }, id, create_time }) => {
      upload_space_used += file.size;
      const { size } = file;
      const attachment = { id, create_time, name, path_id: pathId, size, message_ids: [] };
      return attachmentAdded({ attachment, upload_space_used }, { audience: [actor.id] });
    }),
  );
  await Promise.all([
    addImages(
      tx,
      realmId,
      added.map(({ upload: { actor, contentType, file }, id }) => ({
        ownerId: actor.id,
        attachmentId: id,
        contentType,
        head: file.head,
      })),
    ),
    addedBytes < bytes && takeFromStorage(tx, [{ realmId, size: bytes - addedBytes }]),
  ]);
  return new Set(added.map(({ upload }) => upload));
}

function serialize(key: number): BatchOutcome<never> {
  return { kind: "serialize", key };
}
