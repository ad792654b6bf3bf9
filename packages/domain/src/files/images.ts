import { errors } from "@carillon/contract";
import { notNull, type Sql, statement, type Tx, typed } from "@carillon/db";
import { imageTypeOf } from "@carillon/images";
import { thumbnail as thumbnailJob } from "@carillon/jobs";
import { recordIntents } from "@carillon/outbox";
import { mediaTypeOf } from "./content-type.ts";
import type { StoredFileRow } from "./file-access.ts";
import { markObjectUsed } from "./stored-objects.ts";
import { closestThumbnail } from "./thumbnail-formats.ts";

/*
 * The states of a row of `images` (files.md §5):
 *
 *     pending ─── the worker has made thumbnails ──→ made
 *        └─────── not decodable, too large ────────→ refused
 *
 * Transactions that leave `pending`, and those that store a message with the placeholder of the picture, lock the row
 * of the attachment. So either the job finds the message, or the message's transaction finds the new state and records
 * another job.
 */

const insert = statement({
  name: "images-insert",
  text: `INSERT INTO images (attachment_id) SELECT unnest($1::int[])`,
});

/** How many of an account's newest files are searched for pending images. */
const newestFiles = 100;

const countPending = statement({
  name: "images-pending-of-accounts",
  text: `SELECT owner.id AS "ownerId", (
      SELECT count(*)::int
      FROM (SELECT id FROM attachments WHERE owner_id = owner.id ORDER BY id DESC LIMIT ${newestFiles}) newest
      JOIN images i ON i.attachment_id = newest.id WHERE i.state = 'pending') AS pending
    FROM unnest($1::int[]) AS owner (id)`,
  overrides: { ownerId: notNull },
});

/** A new attachment that may be an image. */
interface NewFile {
  readonly attachmentId: number;
  readonly ownerId: number;
  readonly contentType: string;
  readonly head: Buffer;
}

/**
 * Adds a row and a job for each new attachment whose content type and first bytes are those of a picture. Decodes nothing.
 */
export async function addImages(tx: Tx, realmId: number, files: readonly NewFile[]): Promise<void> {
  const images = files.filter(({ contentType, head }) => {
    const type = imageTypeOf(head);
    return type !== undefined && mediaTypeOf(contentType) === type;
  });
  if (images.length === 0) return;
  const [counted] = await Promise.all([
    tx.rows(countPending, [[...new Set(images.map(({ ownerId }) => ownerId))]]),
    tx.rows(insert, [images.map(({ attachmentId }) => attachmentId)]),
  ]);
  const pending = new Map(counted.map(({ ownerId, pending: count }) => [ownerId, count ?? 0]));
  await recordIntents(
    tx,
    realmId,
    thumbnailJob,
    images.map(({ attachmentId, ownerId }) => {
      const behind = pending.get(ownerId) ?? 0;
      pending.set(ownerId, behind + 1);
      return { key: String(attachmentId), payload: { attachmentId, behind } };
    }),
  );
}

/** A thumbnail, as `images.formats` stores it. */
export interface ThumbnailFormat {
  readonly name: string;
  /** Pixels of the box, not of the thumbnail. */
  readonly width: number;
  readonly animated: boolean;
  /** Key of the object in the file store. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** In base64url. */
  readonly sha256: string;
}

const read = statement({
  name: "image-of-attachment",
  text: `SELECT i.state, a.object_key AS "objectKey" FROM images i JOIN attachments a ON a.id = i.attachment_id
    WHERE a.realm_id = $1 AND i.attachment_id = $2`,
});

/** Returns the object and the state of an image; undefined if the file was deleted. */
export async function imageOf(
  sql: Sql,
  realmId: number,
  attachmentId: number,
): Promise<{ readonly state: string; readonly objectKey: string } | undefined> {
  return (await sql.rows(read, [realmId, attachmentId]))[0];
}

const lockImage = statement({
  name: "image-lock",
  text: `SELECT id FROM attachments WHERE id = $1 FOR NO KEY UPDATE`,
});

const finish = statement({
  name: "image-finish",
  text: `UPDATE images SET state = $2, width = $3, height = $4, frames = $5, formats = $6::jsonb
    WHERE attachment_id = $1 AND state = 'pending'`,
});

/** The result of a worker's attempt to make thumbnails. */
export type ImageOutcome =
  | {
      readonly state: "made";
      readonly width: number;
      readonly height: number;
      readonly frames: number;
      readonly formats: readonly ThumbnailFormat[];
    }
  | { readonly state: "refused" };

/**
 * Stores the outcome of a pending image.
 * @returns false if nothing was stored, because the file was deleted or another run was faster; its objects are then unused
 * @throws ApiError `INTERNAL_ERROR` (503) if the deletion of an object has begun
 */
export async function finishImage(
  tx: Tx,
  attachmentId: number,
  outcome: ImageOutcome,
): Promise<boolean> {
  const held = await tx.lock({ name: "attachments", keys: [attachmentId] }, lockImage, [
    attachmentId,
  ]);
  if (held.length === 0) return false;
  const { width, height, frames, formats } =
    outcome.state === "made"
      ? outcome
      : { width: null, height: null, frames: null, formats: [] as ThumbnailFormat[] };
  const values = [attachmentId, outcome.state, width, height, frames, JSON.stringify(formats)];
  if ((await tx.count(finish, values)) === 0) return false;
  for (const { key } of formats) await markObjectUsed(tx, key);
  return true;
}

/** SQL: the keys of the thumbnails of an attachment, as an array. */
export const thumbnailKeysSql = (attachmentId: string) =>
  `ARRAY(SELECT format->>'key' FROM images i, jsonb_array_elements(i.formats) format WHERE i.attachment_id = ${attachmentId})`;

/** SQL: the messages that claim an attachment, as a JSON array, if it is a pending image; else NULL. */
export const waitingClaimsSql = (attachmentId: string) =>
  `(SELECT json_agg(claim.message_id ORDER BY claim.message_id) FROM attachment_claims claim
      JOIN images i ON i.attachment_id = claim.attachment_id AND i.state = 'pending' WHERE claim.attachment_id = ${attachmentId})`;

/** Messages of one job that removes placeholders. */
const droppedAtOnce = 1_000;

/** Records jobs that remove the placeholders of a deleted picture from messages. */
export async function recordDroppedPreviews(
  tx: Tx,
  realmId: number,
  image: { readonly id: number; readonly pathId: string; readonly contentType: string },
  messageIds: readonly number[],
): Promise<void> {
  const { id, pathId, contentType } = image;
  const intents = [];
  for (let at = 0; at < messageIds.length; at += droppedAtOnce) {
    const part = messageIds.slice(at, at + droppedAtOnce);
    const deleted = { pathId, mediaType: mediaTypeOf(contentType), messageIds: part };
    intents.push({ key: `${id}-deleted-${at}`, payload: { attachmentId: id, deleted } });
  }
  if (intents.length > 0) await recordIntents(tx, realmId, thumbnailJob, intents);
}

const formatsOf = statement({
  name: "thumbnail-formats",
  text: `SELECT formats FROM images WHERE attachment_id = $1`,
  overrides: { formats: typed<readonly ThumbnailFormat[]>() },
});

/**
 * Returns the closest thumbnail of a file, as a file of the store.
 * @throws ApiError `BAD_REQUEST` with status 404 if there is none, or none yet
 */
export async function requireThumbnail(
  sql: Sql,
  file: StoredFileRow,
  name: string,
): Promise<StoredFileRow> {
  const [image] = await sql.rows(formatsOf, [file.id]);
  const format = closestThumbnail(image?.formats ?? [], name);
  if (!format) throw errors.notFound404("There is no such thumbnail");
  return {
    ...file,
    objectKey: format.key,
    name: format.name,
    contentType: "image/webp",
    size: format.size,
    sha256: Buffer.from(format.sha256, "base64url"),
  };
}

const finished = statement({
  name: "images-finished",
  text: `SELECT a.id, a.path_id AS "pathId" FROM attachments a JOIN images i ON i.attachment_id = a.id
    WHERE a.realm_id = $1 AND a.path_id = ANY($2::text[]) AND i.state <> 'pending'`,
});

/**
 * Records a job for each image that has left `pending` since a stored message was rendered with its placeholder. The
 * transaction must have locked the rows of the attachments.
 * @param messages the paths of the placeholders of each message
 */
export async function catchUpPreviews(
  tx: Tx,
  realmId: number,
  messages: ReadonlyArray<{ readonly id: number; readonly pendingImages: readonly string[] }>,
): Promise<void> {
  const waiting = messages.filter(({ pendingImages }) => pendingImages.length > 0);
  if (waiting.length === 0) return;
  const paths = [...new Set(waiting.flatMap(({ pendingImages }) => pendingImages))];
  const rows = await tx.rows(finished, [realmId, paths]);
  await recordIntents(
    tx,
    realmId,
    thumbnailJob,
    rows.map(({ id, pathId }) => {
      const first = waiting.find(({ pendingImages }) => pendingImages.includes(pathId))!;
      return { key: `${id}-${first.id}`, payload: { attachmentId: id } };
    }),
  );
}
