import { ChangedMeanwhile, type Database, notNull, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { DeletedImage } from "@carillon/jobs";
import { makePreviews, type MadeImage, textsOfPlaceholder } from "@carillon/markdown";
import { loadMessageAudience, lockAudiencesShared, lockGroupGraphShared } from "@carillon/model";
import { renderingEvent } from "./update-events.ts";
import { mediaTypeOf } from "../../files/content-type.ts";
import { transcodedName } from "../../files/thumbnail-formats.ts";

const read = statement({
  name: "image-made",
  text: `SELECT a.path_id AS "pathId", a.content_type AS "contentType", i.state, i.width, i.height, i.frames
    FROM images i JOIN attachments a ON a.id = i.attachment_id
    WHERE a.realm_id = $1 AND i.attachment_id = $2 AND i.state <> 'pending'`,
});

/** Maximum messages that one run rewrites, which takes a few seconds: requests for avatars wait for the same worker. */
const maxRewritten = 1_000;

/** How many claims one statement examines. */
const claimsAtOnce = 1_000;

/**
 * SQL: which messages have a placeholder, whose texts are `$1` and `$2`. Messages that are not in `messages` are in the
 * archive, or were purged.
 * @param claims rows with a `message_id`
 */
const withPlaceholder = (
  claims: string,
) => `SELECT claim.message_id AS id, m.id IS NULL AS "isArchived",
      coalesce(strpos(m.rendered_content, $1) > 0 AND strpos(m.rendered_content, $2) > 0, false) AS waits
    FROM (${claims}) claim LEFT JOIN messages m ON m.id = claim.message_id ORDER BY claim.message_id`;

const claims = statement({
  name: "claims-with-placeholder",
  text: withPlaceholder(`SELECT message_id FROM attachment_claims WHERE attachment_id = $3 AND message_id > $4
      ORDER BY message_id LIMIT ${claimsAtOnce}`),
});

const formerClaims = statement({
  name: "former-claims-with-placeholder",
  text: withPlaceholder("SELECT unnest($3::bigint[]) AS message_id"),
  overrides: { id: notNull },
});

/** A message that claims a picture, or has claimed it. */
interface Claim {
  readonly id: number;
  readonly isArchived: boolean | null;
  /** Whether it has the placeholder; false if it is archived. */
  readonly waits: boolean | null;
}

/** A picture whose state is final. */
interface FinishedImage {
  readonly pathId: string;
  readonly mediaType: string;
  /** Undefined if it turned out not to be a picture. */
  readonly made: MadeImage | undefined;
}

/**
 * Replaces the placeholders of a picture in messages that claim it, archived ones included (files.md §5). Each message has its
 * own transaction; archived ones share statements. Repeats until nothing changes, because messages may move into the archive
 * or out of it meanwhile. Does nothing while the picture is pending.
 * @param after the message where an earlier run stopped; 0 for the first run
 * @returns the message after which another run continues; undefined if no placeholder is left
 */
export async function rewritePreviews(
  db: Database,
  realmId: number,
  attachmentId: number,
  after: number,
): Promise<number | undefined> {
  const [row] = await db.rows(read, [realmId, attachmentId]);
  if (!row) return undefined;
  const { pathId, width, height, frames } = row;
  const mediaType = mediaTypeOf(row.contentType);
  const isTiff = mediaType === "image/tiff";
  const made =
    width === null || height === null || frames === null
      ? undefined
      : {
          width,
          height,
          isAnimated: frames > 1,
          transcoded: isTiff ? transcodedName(width, height) : undefined,
        };
  const image = { pathId, mediaType, made };
  for (let from = after; ; from = 0) {
    const { changed, stoppedAt } = await rewriteOnce(db, realmId, attachmentId, image, from);
    if (stoppedAt !== undefined) return stoppedAt;
    if (changed === 0 && from === 0) return undefined;
  }
}

/** Examines all messages after `from`, or stops after the message that completes {@link maxRewritten}. */
async function rewriteOnce(
  db: Database,
  realmId: number,
  attachmentId: number,
  image: FinishedImage,
  from: number,
): Promise<{ readonly changed: number; readonly stoppedAt?: number }> {
  let changed = 0;
  let after: number | undefined = from;
  while (after !== undefined) {
    const values = [...textsOfPlaceholder(image.pathId), attachmentId, after];
    const page: readonly Claim[] = await db.rows(claims, values);
    const done = await rewriteAll(db, realmId, page, image, maxRewritten - changed);
    changed += done.changed;
    if (done.stoppedAt !== undefined) return { changed, stoppedAt: done.stoppedAt };
    after = page.length < claimsAtOnce ? undefined : page.at(-1)?.id;
  }
  return { changed };
}

/** Replaces the placeholders of messages, or stops after the message that completes `limit`. */
async function rewriteAll(
  db: Database,
  realmId: number,
  messages: readonly Claim[],
  image: FinishedImage,
  limit: number,
): Promise<{ readonly changed: number; readonly stoppedAt?: number }> {
  let changed = 0;
  for (const { id, waits } of messages) {
    if (waits) changed += await db.transaction((tx) => rewrite(tx, realmId, id, image));
    // Leaves the archived messages of this page to a later run: the last one examines all messages again.
    if (changed >= limit) return { changed, stoppedAt: id };
  }
  const archived = messages.flatMap(({ id, isArchived }) => (isArchived ? [id] : []));
  for (let at = 0; at < archived.length; at += archivedAtOnce)
    changed += await rewriteArchived(db, archived.slice(at, at + archivedAtOnce), image);
  return { changed };
}

/**
 * Removes the placeholders of a picture that was deleted before its thumbnails were made from the messages that claimed it.
 * @param messageIds at most 1,000
 */
export async function dropPreviews(
  db: Database,
  realmId: number,
  { pathId, mediaType, messageIds }: DeletedImage,
): Promise<void> {
  const image = { pathId, mediaType, made: undefined };
  for (let changed = 1; changed > 0;) {
    const values = [...textsOfPlaceholder(pathId), messageIds];
    const messages = await db.rows(formerClaims, values);
    ({ changed } = await rewriteAll(db, realmId, messages, image, Number.POSITIVE_INFINITY));
  }
}

const placeOf = statement({
  name: "place-of-message",
  text: `SELECT r.channel_id AS "channelId" FROM messages m JOIN recipients r ON r.id = m.recipient_id
    WHERE m.realm_id = $1 AND m.id = $2`,
});

const lock = statement({
  name: "message-for-previews",
  text: "SELECT id FROM messages WHERE realm_id = $1 AND id = $2 FOR NO KEY UPDATE",
});

const textOf = statement({
  name: "message-with-placeholder",
  text: `SELECT m.content, m.rendered_content AS html, r.channel_id AS "channelId", c.name AS "channelName",
      r.member_ids AS "memberIds", floor(extract(epoch FROM now()))::bigint AS now
    FROM messages m JOIN recipients r ON r.id = m.recipient_id LEFT JOIN channels c ON c.id = r.channel_id
    WHERE m.realm_id = $1 AND m.id = $2`,
});

const store = statement({
  name: "message-previews-made",
  text: `UPDATE messages SET rendered_content = $3, has_image = $4 WHERE realm_id = $1 AND id = $2`,
});

/** Rewrites one message and emits the event. Returns how many messages have changed: 0 or 1. */
async function rewrite(
  tx: Tx,
  realmId: number,
  id: number,
  { pathId, mediaType, made }: FinishedImage,
): Promise<number> {
  const place = await tx.first(placeOf, [realmId, id]);
  if (!place) return 0;
  const channelIds = place.channelId === null ? [] : [place.channelId];
  // The receivers of the event stay the same until the transaction ends.
  await Promise.all([
    lockGroupGraphShared(tx, realmId),
    lockAudiencesShared(tx, channelIds),
    tx.lock({ name: "messages", keys: [id] }, lock, [realmId, id]),
  ]);
  const message = await tx.first(textOf, [realmId, id]);
  if (!message) return 0;
  const { channelId, channelName, memberIds, content, html, now } = message;
  if (channelId !== place.channelId) throw new ChangedMeanwhile(`message ${id} was moved`);
  const rewritten = makePreviews(html, pathId, mediaType, made);
  if (!rewritten) return 0;
  await tx.rows(store, [realmId, id, rewritten.html, rewritten.hasImage]);
  const userIds = await loadMessageAudience(tx, { id, channelId, memberIds });
  if (userIds.length === 0) return 1;
  const channel = channelId === null ? undefined : { id: channelId, name: channelName ?? "" };
  const rendered = { id, channel, content, html: rewritten.html, now };
  emit(tx, realmId, [await renderingEvent(tx, rendered, userIds)]);
  return 1;
}

/** How many archived messages one statement reads and writes: each has up to 200,000 characters of HTML. */
const archivedAtOnce = 50;

const archivedTexts = statement({
  name: "archived-with-images",
  text: `SELECT removal_id AS "removalId", id, rendered_content AS html FROM archived_messages
    WHERE id = ANY(ARRAY(SELECT unnest($1::bigint[]))) AND has_image`,
});

// The archive is not locked: a row that has changed since it was read is left for the next round.
const storeArchived = statement({
  name: "archived-previews-made",
  text: `UPDATE archived_messages a SET rendered_content = n.made, has_image = n.has_image
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bool[]) AS n (removal_id, id, html, made, has_image)
    WHERE a.removal_id = n.removal_id AND a.id = n.id AND a.rendered_content = n.html`,
});

async function rewriteArchived(
  db: Database,
  ids: readonly number[],
  { pathId, mediaType, made }: FinishedImage,
): Promise<number> {
  const found = await db.rows(archivedTexts, [ids]);
  const rows = found.flatMap((row) => {
    const rewritten = makePreviews(row.html, pathId, mediaType, made);
    return rewritten ? [{ ...row, rewritten }] : [];
  });
  if (rows.length === 0) return 0;
  await db.rows(storeArchived, [
    rows.map(({ removalId }) => removalId),
    rows.map(({ id }) => id),
    rows.map(({ html }) => html),
    rows.map(({ rewritten }) => rewritten.html),
    rows.map(({ rewritten }) => rewritten.hasImage),
  ]);
  return rows.length;
}
