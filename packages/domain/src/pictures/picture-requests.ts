import type { PictureKind } from "@carillon/jobs";
import { makePictures } from "@carillon/jobs";
import { type Sql, statement, type Tx, typed } from "@carillon/db";
import { eventsLogged } from "@carillon/events";
import { recordIntents } from "@carillon/outbox";

/*
 * A request for an avatar, an icon, a logo or an emoji waits for a worker, which makes the pictures (files.md §6). The row
 * of `picture_requests` connects them:
 *
 *     request → waiting ── finish (worker) ──→ finished
 *                  │                              │
 *                  └──────── take (gateway) ──────┘──→ (no row)
 *
 * Only the request uses the pictures, after it has taken its row. A request that has waited too long, or whose client has hung
 * up, takes the row too: a worker that finishes later finds no row and changes nothing. Pictures that no request uses stay
 * unused objects in the ledger, which are deleted after 24 hours.
 */

/** A picture that a worker has made and stored. */
export interface MadePicture {
  /** The name of the rendition. */
  readonly name: string;
  readonly key: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** In base64. */
  readonly sha256: string;
}

/** What a worker has made of a file; no pictures if the file cannot be decoded. */
export interface PictureOutcome {
  readonly pictures: readonly MadePicture[];
}

const insert = statement({
  name: "picture-request-insert",
  text: `INSERT INTO picture_requests (realm_id, kind, object_key) VALUES ($1, $2, $3) RETURNING id`,
});

/**
 * Asks a worker for the pictures of a stored file.
 * @returns the id of the request
 */
export async function requestPictures(
  tx: Tx,
  realmId: number,
  kind: PictureKind,
  objectKey: string,
): Promise<number> {
  const { id } = (await tx.first(insert, [realmId, kind, objectKey]))!;
  const intent = { key: String(id), payload: { requestId: id } };
  await recordIntents(tx, realmId, makePictures, [intent]);
  return id;
}

const waiting = statement({
  name: "picture-request-waiting",
  text: `SELECT kind, object_key AS "objectKey" FROM picture_requests
    WHERE realm_id = $1 AND id = $2 AND outcome IS NULL AND created_at > now() - interval '1 minute'`,
  overrides: { kind: typed<PictureKind>() },
});

/** Returns the kind and the file of a request; undefined if it no longer waits for its pictures. */
export async function waitingRequest(
  sql: Sql,
  realmId: number,
  id: number,
): Promise<{ readonly kind: PictureKind; readonly objectKey: string } | undefined> {
  return (await sql.rows(waiting, [realmId, id]))[0];
}

const finish = statement({
  name: "picture-request-finish",
  text: `UPDATE picture_requests SET outcome = $3::jsonb WHERE realm_id = $1 AND id = $2 AND outcome IS NULL
    RETURNING id`,
});

/** Stores what a worker has made, and wakes the gateways. Does nothing if the request no longer waits. */
export async function finishRequest(
  tx: Tx,
  realmId: number,
  id: number,
  outcome: PictureOutcome,
): Promise<void> {
  const lock = { name: "pictureRequests", keys: [id] } as const;
  const [finished] = await tx.lock(lock, finish, [realmId, id, JSON.stringify(outcome)]);
  // A wake-up without an event costs a gateway one read of the log.
  if (finished) tx.publishAfterCommit(eventsLogged, realmId);
}

const finishedAmong = statement({
  name: "picture-requests-finished",
  text: `SELECT id FROM picture_requests WHERE id = ANY($1::int[]) AND outcome IS NOT NULL`,
});

/** Returns the ids of the finished requests among the given ones. */
export async function finishedRequests(sql: Sql, ids: readonly number[]): Promise<number[]> {
  return (await sql.rows(finishedAmong, [ids])).map(({ id }) => id);
}

const overdue = statement({
  name: "picture-requests-overdue",
  text: `SELECT EXISTS (SELECT FROM picture_requests WHERE outcome IS NULL
      AND created_at BETWEEN now() - interval '20 seconds' AND now() - interval '1 second') AS "isOverdue"`,
});

/** Returns whether a request of any organization has waited for more than a second, and still waits. */
export async function isPictureOverdue(sql: Sql): Promise<boolean> {
  return (await sql.rows(overdue))[0]?.isOverdue ?? false;
}

const take = statement({
  name: "picture-request-take",
  text: `DELETE FROM picture_requests WHERE id = $1 RETURNING outcome`,
  overrides: { outcome: typed<PictureOutcome>() },
});

/**
 * Ends a request, so that no worker can finish it any more.
 * @returns what a worker has made; undefined if none has finished it
 */
export async function takeRequest(tx: Tx, id: number): Promise<PictureOutcome | undefined> {
  const [taken] = await tx.lock({ name: "pictureRequests", keys: [id] }, take, [id]);
  return taken?.outcome ?? undefined;
}

const clear = statement({
  name: "picture-requests-clear",
  text: `DELETE FROM picture_requests WHERE id = ANY(ARRAY(
      SELECT id FROM picture_requests WHERE created_at < now() - interval '1 hour' ORDER BY created_at LIMIT $1
      FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING id`,
});

/**
 * Deletes requests that are older than an hour: their gateway was killed before it took them.
 * @returns the number of deleted rows
 */
export async function clearRequests(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(clear, [limit])).length;
}
