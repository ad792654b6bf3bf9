import { randomBytes } from "node:crypto";
import { errors } from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";

import { markObjectUsed, releaseObjects } from "../files/stored-objects.ts";
import type { MadePicture } from "./picture-requests.ts";

/** Creates the name of a new picture's file, without the extension: 24 characters of `A-Z a-z 0-9 _ -`, 144 random bits. */
export function newPictureName(): string {
  return randomBytes(18).toString("base64url");
}

/** Where a picture is served. */
export interface PicturePlace {
  readonly realmId: number;
  /** Its path below `/user_avatars/{realm_id}/`. */
  readonly file: string;
  /** The account of an avatar. */
  readonly userId?: number;
}

const insert = statement({
  name: "picture-insert",
  text: `INSERT INTO pictures (path, realm_id, user_id, object_key, content_type, size, sha256)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (path) DO NOTHING`,
});

/**
 * Stores a picture under a path.
 * @returns whether the path was free
 * @throws ApiError `INTERNAL_ERROR` (503) if the deletion of the object has begun
 */
export async function storePicture(
  tx: Tx,
  { realmId, file, userId }: PicturePlace,
  { key, contentType, size, sha256 }: MadePicture,
): Promise<boolean> {
  const hash = Buffer.from(sha256, "base64");
  const values = [`${realmId}/${file}`, realmId, userId ?? null, key, contentType, size, hash];
  if ((await tx.count(insert, values)) === 0) return false;
  await markObjectUsed(tx, key);
  return true;
}

/**
 * Returns the picture with this name.
 * @throws Error if the worker has not made it
 */
export function pictureNamed(pictures: readonly MadePicture[], name: string): MadePicture {
  const found = pictures.find((picture) => picture.name === name);
  if (!found) throw new Error(`the worker has made no picture ${name}`);
  return found;
}

const replace = statement({
  name: "pictures-replace",
  text: `UPDATE pictures SET replaced_at = now() WHERE path = ANY($1::text[]) AND replaced_at IS NULL`,
});

/** Marks pictures as replaced. They are served for 30 more days. @param files paths below `/user_avatars/{realm_id}/` */
export async function markReplaced(
  tx: Tx,
  realmId: number,
  files: readonly string[],
): Promise<void> {
  await tx.rows(replace, [files.map((file) => `${realmId}/${file}`)]);
}

/** Maximum replaced pictures of one account: 20 avatars of two sizes. It limits what is stored for an account. */
const maxFormer = 40;

const bound = statement({
  name: "former-pictures-bound",
  text: `UPDATE pictures SET replaced_at = '-infinity' WHERE path = ANY(ARRAY(
      SELECT path FROM pictures WHERE user_id = $1 AND replaced_at IS NOT NULL
      ORDER BY replaced_at DESC OFFSET ${maxFormer}))`,
});

/** Makes the oldest replaced pictures of an account due for deletion if it has too many. */
export async function boundFormerPictures(tx: Tx, userId: number): Promise<void> {
  await tx.rows(bound, [userId]);
}

const removeOf = statement({
  name: "pictures-of-account-delete",
  text: `DELETE FROM pictures WHERE user_id = $1 RETURNING object_key AS "objectKey"`,
});

/** Deletes all pictures of an account, replaced ones too. */
export async function deletePicturesOf(tx: Tx, userId: number): Promise<void> {
  const removed = await tx.rows(removeOf, [userId]);
  if (removed.length === 0) return;
  await releaseObjects(
    tx,
    removed.map(({ objectKey }) => objectKey),
  );
}

const removeFormer = statement({
  name: "former-pictures-delete",
  text: `WITH gone AS (DELETE FROM pictures WHERE path = ANY(ARRAY(
        SELECT path FROM pictures WHERE replaced_at < now() - interval '30 days' ORDER BY replaced_at LIMIT $1
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING object_key)
    UPDATE stored_objects SET delete_after = now() + interval '24 hours' FROM gone WHERE key = gone.object_key
    RETURNING key`,
});

/**
 * Deletes pictures that were replaced more than 30 days ago (files.md §6).
 * @returns the number of deleted pictures
 */
export async function deleteFormerPictures(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(removeFormer, [limit])).length;
}

/** A picture in the store. */
export type StoredPicture = RowOf<typeof byPath>;

const byPath = statement({
  name: "picture-by-path",
  text: `SELECT object_key AS "objectKey", content_type AS "contentType", size, sha256 FROM pictures WHERE path = $1`,
});

/**
 * Returns the picture with this path below `/user_avatars/`, for everyone.
 * @throws ApiError `BAD_REQUEST` (404) if there is none
 */
export async function requirePicture(sql: Sql, path: string): Promise<StoredPicture> {
  const [picture] = await sql.rows(byPath, [path]);
  if (!picture) throw errors.notFound404("There is no such picture");
  return picture;
}
