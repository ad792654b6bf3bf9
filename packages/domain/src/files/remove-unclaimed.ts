import { notNull, type Sql, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import { removedEvent } from "./attachment-object.ts";
import { thumbnailKeysSql } from "./images.ts";
import { releaseObjects } from "./stored-objects.ts";
import { takeFromStorage } from "./storage-used.ts";

/** SQL: the folders of a path. They identify the file; a text may encode the name after them in another way. */
const folders = (path: string) => `substring(${path} FROM '^[0-9]+/[0-9a-f]{2}/[A-Za-z0-9_-]{24}')`;

/** Leaves out organizations that are being imported: the claims of their files come after all their messages. */
const candidates = statement({
  name: "unclaimed-files",
  text: `SELECT a.id, a.realm_id AS "realmId", ${folders("a.path_id")} AS folders FROM attachments a
    WHERE a.id > $1 AND a.created_at < now() - interval '5 weeks'
      AND NOT EXISTS (SELECT FROM attachment_claims claim WHERE claim.attachment_id = a.id)
      AND NOT EXISTS (SELECT FROM organization_imports i WHERE i.realm_id = a.realm_id AND i.finished_at IS NULL)
    ORDER BY a.id LIMIT $2`,
  overrides: { folders: notNull },
});

/** Searches the texts of scheduled messages, series, drafts and saved snippets for links to files. */
const mentioned = statement({
  name: "files-in-unsent-texts",
  text: `SELECT DISTINCT link[1] AS folders FROM (
      SELECT content FROM scheduled_messages WHERE realm_id = ANY($1::int[]) AND has_attachment
      UNION ALL SELECT content FROM message_series WHERE realm_id = ANY($1::int[])
      UNION ALL SELECT d.content FROM drafts d JOIN users u ON u.id = d.user_id WHERE u.realm_id = ANY($1::int[])
      UNION ALL SELECT s.content FROM saved_snippets s JOIN users u ON u.id = s.user_id WHERE u.realm_id = ANY($1::int[])
    ) text CROSS JOIN LATERAL regexp_matches(text.content, 'user_uploads/([0-9]+/[0-9a-f]{2}/[A-Za-z0-9_-]{24})', 'g') link
    WHERE text.content LIKE '%user_uploads/%'`,
  overrides: { folders: notNull },
});

/** A page of unclaimed files. */
export interface UnclaimedFiles {
  readonly ids: readonly number[];
  /** The id after which the next page begins; undefined after the last page. */
  readonly next: number | undefined;
}

/**
 * Finds files that were uploaded more than 5 weeks ago and that no message, scheduled message, series, draft or saved
 * snippet links to (files.md §4).
 * @param after `next` of the page before, 0 for the first page
 * @param limit maximum files without a claim that are examined
 */
export async function findUnclaimed(
  sql: Sql,
  after: number,
  limit: number,
): Promise<UnclaimedFiles> {
  const found = await sql.rows(candidates, [after, limit]);
  const next = found.length < limit ? undefined : found.at(-1)?.id;
  if (found.length === 0) return { ids: [], next };
  const texts = await sql.rows(mentioned, [[...new Set(found.map(({ realmId }) => realmId))]]);
  const kept = new Set(texts.map((text) => text.folders));
  return { ids: found.filter((file) => !kept.has(file.folders)).map(({ id }) => id), next };
}

const owners = statement({
  name: "unclaimed-files-owners",
  text: `SELECT u.id FROM users u WHERE u.id IN (SELECT owner_id FROM attachments WHERE id = ANY($1::int[]))
    ORDER BY u.id FOR NO KEY UPDATE OF u`,
});

const lockFiles = statement({
  name: "unclaimed-files-lock",
  text: `SELECT id FROM attachments WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE`,
});

// The locks are held: earlier claims are committed, and a later claim waits and then finds no file.
const remove = statement({
  name: "unclaimed-files-delete",
  text: `DELETE FROM attachments a WHERE a.id = ANY($1::int[])
      AND NOT EXISTS (SELECT FROM attachment_claims claim WHERE claim.attachment_id = a.id)
    RETURNING a.id, a.realm_id AS "realmId", a.owner_id AS "ownerId", a.size, a.object_key AS "objectKey",
      ${thumbnailKeysSql("a.id")} AS thumbnails`,
  overrides: { thumbnails: typed<string[]>() },
});

/**
 * Deletes files of {@link findUnclaimed} unless a message claims them now. Sends events to the uploaders.
 * @returns the number of deleted files
 */
export async function removeUnclaimed(tx: Tx, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  await tx.lock({ name: "accounts" }, owners, [ids]);
  await tx.lock({ name: "attachments", keys: ids }, lockFiles, [ids]);
  const removed = await tx.rows(remove, [ids]);
  await releaseObjects(
    tx,
    removed.flatMap(({ objectKey, thumbnails }) => [objectKey, ...thumbnails]),
  );
  const used = await takeFromStorage(tx, removed);
  for (const [realmId, upload_space_used] of used) {
    const files = removed.filter((file) => file.realmId === realmId);
    emit(
      tx,
      realmId,
      files.map(({ id, ownerId }) => removedEvent({ id, ownerId }, upload_space_used)),
    );
  }
  return removed.length;
}
