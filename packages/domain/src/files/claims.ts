import { attachmentUpdated, type AttachmentObject, type NewEvent } from "@carillon/contract";
import { statement, type Tx, typed } from "@carillon/db";
import { loadAfter } from "@carillon/model";
import { shownColumns } from "./attachment-object.ts";
import { catchUpPreviews } from "./images.ts";
import { storageUsed } from "./storage-used.ts";

/** A message, and the paths of the files that its text links to and its author may read. */
export interface ClaimingMessage {
  readonly id: number;
  readonly uploadPaths: readonly string[];
  /** The files that its HTML shows with a placeholder. */
  readonly pendingImages: readonly string[];
}

// Transactions that change the claims of a file run one after the other, so that the later event has both changes.
const lockClaimed = statement({
  name: "claimed-files-lock",
  text: `SELECT id FROM attachments WHERE realm_id = $1 AND path_id = ANY($2::text[]) ORDER BY id FOR NO KEY UPDATE`,
});

const insert = statement({
  name: "claims-insert",
  text: `INSERT INTO attachment_claims (attachment_id, message_id)
    SELECT a.id, claim.message_id FROM unnest($2::text[], $3::bigint[]) AS claim (path_id, message_id)
    JOIN attachments a ON a.realm_id = $1 AND a.path_id = claim.path_id
    ON CONFLICT DO NOTHING RETURNING attachment_id AS id`,
});

/**
 * Inserts the claims of new messages (files.md §3). Runs no statement if no message links to a file. Does not claim a
 * file that was deleted meanwhile.
 * @returns the events for the uploaders
 */
export async function claimFiles(
  tx: Tx,
  realmId: number,
  messages: readonly ClaimingMessage[],
): Promise<NewEvent[]> {
  const claims = messages.flatMap(({ id, uploadPaths }) =>
    uploadPaths.map((path) => ({ id, path })),
  );
  if (claims.length === 0) return [];
  const paths = claims.map(({ path }) => path);
  const { claimed } = await loadAfter(
    tx.lock({ name: "attachments" }, lockClaimed, [realmId, [...new Set(paths)]]),
    { claimed: tx.rows(insert, [realmId, paths, claims.map(({ id }) => id)]) },
  );
  await catchUpPreviews(tx, realmId, messages);
  return updates(
    tx,
    realmId,
    claimed.map(({ id }) => id),
  );
}

const lockOfMessage = statement({
  name: "files-of-message-lock",
  text: `SELECT a.id FROM attachments a WHERE a.realm_id = $1
      AND (a.path_id = ANY($2::text[]) OR a.id IN (SELECT attachment_id FROM attachment_claims WHERE message_id = $3))
    ORDER BY a.id FOR NO KEY UPDATE`,
});

const remove = statement({
  name: "claims-remove",
  text: `DELETE FROM attachment_claims claim USING attachments a
    WHERE claim.message_id = $2 AND a.id = claim.attachment_id AND a.realm_id = $1 AND NOT a.path_id = ANY($3::text[])
    RETURNING a.id`,
});

/** The changes that an edit makes to the claims of a message. */
export interface ReplacedClaims {
  readonly events: readonly NewEvent[];
  /** Ids of the files that the message no longer claims. */
  readonly lost: readonly number[];
}

/** Replaces the claims of a message by those of its new text (files.md §3). */
export async function replaceClaims(
  tx: Tx,
  realmId: number,
  message: ClaimingMessage,
): Promise<ReplacedClaims> {
  const { id, uploadPaths } = message;
  const paths = [...uploadPaths];
  const { removed, claimed } = await loadAfter(
    tx.lock({ name: "attachments" }, lockOfMessage, [realmId, paths, id]),
    {
      removed: tx.rows(remove, [realmId, id, paths]),
      claimed: tx.rows(insert, [realmId, paths, paths.map(() => id)]),
    },
  );
  await catchUpPreviews(tx, realmId, [message]);
  const lost = removed.map((row) => row.id);
  const events = await updates(tx, realmId, [...lost, ...claimed.map((row) => row.id)]);
  return { events, lost };
}

const lockOfMessages = statement({
  name: "files-of-messages-lock",
  text: `SELECT a.id FROM attachments a WHERE a.id IN (
      SELECT attachment_id FROM attachment_claims WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))))
    ORDER BY a.id FOR NO KEY UPDATE`,
});

/**
 * Returns the events for the uploaders of files that are claimed by messages which the transaction has archived. The
 * claims stay, so that an archived message keeps its files and gives access again when it is restored.
 */
export async function archivedClaims(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<NewEvent[]> {
  const held = await tx.lock({ name: "attachments" }, lockOfMessages, [ids]);
  return updates(
    tx,
    realmId,
    held.map(({ id }) => id),
  );
}

const shown = statement({
  name: "attachments-shown",
  text: `SELECT ${shownColumns}, a.owner_id FROM attachments a WHERE a.id = ANY($1::int[]) ORDER BY a.id`,
  overrides: { message_ids: typed<number[]>() },
});

async function updates(tx: Tx, realmId: number, ids: readonly number[]): Promise<NewEvent[]> {
  if (ids.length === 0) return [];
  const [rows, used] = await Promise.all([
    tx.rows(shown, [[...new Set(ids)]]),
    storageUsed(tx, realmId),
  ]);
  return rows.map(({ owner_id: ownerId, ...row }) =>
    attachmentUpdated({ attachment: row, upload_space_used: used }, { audience: [ownerId] }),
  );
}

const detached = statement({
  name: "attachments-detached",
  text: `SELECT ${shownColumns} FROM attachments a
    WHERE a.id = ANY($1::int[]) AND a.owner_id = $2
      AND NOT EXISTS (SELECT FROM attachment_claims claim JOIN messages m ON m.id = claim.message_id
        WHERE claim.attachment_id = a.id)
      AND NOT EXISTS (SELECT FROM scheduled_messages s
        WHERE s.realm_id = a.realm_id AND s.has_attachment AND strpos(s.content, a.path_id) > 0)
    ORDER BY a.id`,
  overrides: { message_ids: typed<number[]>() },
});

/** Returns the editor's own files among `lost` that no message and no scheduled message links to: `detached_uploads`. */
export async function detachedUploads(
  tx: Tx,
  editorId: number,
  lost: readonly number[],
): Promise<AttachmentObject[]> {
  if (lost.length === 0) return [];
  return tx.rows(detached, [lost, editorId]);
}
