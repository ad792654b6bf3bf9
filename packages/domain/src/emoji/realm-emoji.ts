import { randomBytes } from "node:crypto";
import {
  type ApiError,
  emojiAdded,
  type EmojiObject,
  emojiUpdated,
  errors,
  maxActiveEmoji,
  maxEmoji,
  maxEmojiName,
  realmPermissions,
} from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  currentActor,
  isOrganizationAdministrator,
  loadAfter,
  loadMemberships,
  loadRealm,
  lockGroupGraphShared,
  lockOrganization,
  recordAudit,
} from "@carillon/model";

import type { MadePicture } from "../pictures/picture-requests.ts";
import { pictureNamed, storePicture } from "../pictures/stored-pictures.ts";
import { activeEmoji, isBuiltInEmoji } from "./find-emoji.ts";

/** Returns the address of an emoji's picture, relative to the server. @param file below `emoji/images/` */
function emojiUrl(realmId: number, file: string): string {
  return `/user_avatars/${realmId}/emoji/images/${file}`;
}

const ofRealm = statement({
  name: "emoji-of-realm",
  text: `SELECT id, name, author_id AS "authorId", deactivated, file, still_file AS "stillFile" FROM realm_emoji
    WHERE realm_id = $1 ORDER BY id`,
});

interface EmojiRow {
  readonly id: number;
  readonly name: string;
  readonly authorId: number;
  readonly deactivated: boolean;
  readonly file: string;
  readonly stillFile: string | null;
}

function present(realmId: number, emoji: EmojiRow): EmojiObject {
  const { id, name, authorId, deactivated, file, stillFile } = emoji;
  return {
    id: String(id),
    name,
    source_url: emojiUrl(realmId, file),
    still_url: stillFile === null ? null : emojiUrl(realmId, `still/${stillFile}`),
    deactivated,
    author_id: authorId,
  };
}

/** Lists an organization's emoji by id, deactivated ones too (files.md §6). */
export async function listEmoji(sql: Sql, realmId: number): Promise<Record<string, EmojiObject>> {
  const rows = await sql.rows(ofRealm, [realmId]);
  return Object.fromEntries(rows.map((row) => [String(row.id), present(realmId, row)]));
}

/**
 * Normalizes and checks the name of an emoji.
 * @throws ApiError `BAD_REQUEST` for a name that no emoji can have
 */
function emojiName(text: string): string {
  const name = text.trim().replaceAll(" ", "_");
  if (name.length > maxEmojiName || !/^[0-9a-z_-]*[0-9a-z]$/.test(name))
    throw errors.badRequest(
      `An emoji's name has up to ${maxEmojiName} of a-z, 0-9, _ and -, and ends with a letter or a digit`,
    );
  return name;
}

/** A checked name for a new emoji. */
interface CheckedName {
  /** The name as it is stored. */
  readonly name: string;
  /** Why the account may not add it. Errors about the number of files come before this one. */
  readonly refusal: ApiError | undefined;
}

/**
 * Checks whether the account may add an emoji with this name (files.md §6).
 * @param text the name as the request has it
 * @throws ApiError `BAD_REQUEST` for the errors that come before those about the number of files
 */
export async function checkNewEmoji(sql: Sql, actor: Account, text: string): Promise<CheckedName> {
  const name = emojiName(text);
  const [realm, memberships, [taken]] = await Promise.all([
    loadRealm(sql, actor.realmId),
    loadMemberships(sql, [actor.id]),
    sql.rows(activeEmoji, [actor.realmId, name]),
  ]);
  const { canAddCustomEmojiGroup } = realmPermissions;
  if (!memberships.holds(actor, canAddCustomEmojiGroup, realm.groups.canAddCustomEmojiGroup))
    throw errors.badRequest("You may not add emoji");
  if (taken) throw errors.badRequest("The organization has an emoji with this name");
  const refusal =
    isBuiltInEmoji(name) && !isOrganizationAdministrator(actor)
      ? errors.badRequest("Only administrators can replace a built-in emoji")
      : undefined;
  return { name, refusal };
}

const counts = statement({
  name: "emoji-counts",
  text: `SELECT count(*)::int AS all, count(*) FILTER (WHERE NOT deactivated)::int AS active FROM realm_emoji
    WHERE realm_id = $1`,
});

/**
 * Adds an emoji (files.md §6), and sends an event to all users.
 * @param text the name as the request has it
 * @param pictures `emoji`, and `emoji-still` if it is animated
 * @throws ApiError `BAD_REQUEST`
 */
export async function addEmoji(
  tx: Tx,
  actor: Account,
  text: string,
  pictures: readonly MadePicture[],
): Promise<void> {
  const { realmId } = actor;
  const { now } = await loadAfter(
    [lockGroupGraphShared(tx, realmId), lockOrganization(tx, realmId)],
    {
      now: currentActor(tx, actor),
    },
  );
  const { name, refusal } = await checkNewEmoji(tx, now, text);
  if (refusal) throw refusal;
  const existing = (await tx.first(counts, [realmId]))!;
  if (existing.active >= maxActiveEmoji)
    throw errors.badRequest(`An organization cannot have more than ${maxActiveEmoji} emoji`);
  if (existing.all >= maxEmoji)
    throw errors.badRequest(
      `An organization cannot have more than ${maxEmoji} emoji, deactivated ones included`,
    );
  const picture = pictureNamed(pictures, "emoji");
  const still = pictures.find((made) => made.name === "emoji-still");
  const stem = await storeUnderFreeName(tx, realmId, picture, still);
  const file = `${stem}.${extensionOf(picture)}`;
  const stillFile = still ? `${stem}.png` : null;
  const prisma = await tx.prisma();
  const emoji = await prisma.realmEmoji.create({
    data: { realmId, name, authorId: now.id, file, stillFile },
  });
  recordAudit(tx, realmId, now.id, [{ type: "emoji_added", data: { emoji_id: emoji.id, name } }]);
  emit(tx, realmId, [emojiAdded({ emoji: present(realmId, emoji) })]);
}

/** Stores the pictures of an emoji under a free name of eight hexadecimal digits, and returns that name. */
async function storeUnderFreeName(
  tx: Tx,
  realmId: number,
  picture: MadePicture,
  still: MadePicture | undefined,
): Promise<string> {
  for (;;) {
    const stem = randomBytes(4).toString("hex");
    const file = `emoji/images/${stem}.${extensionOf(picture)}`;
    if (!(await storePicture(tx, { realmId, file }, picture))) continue;
    if (!still) return stem;
    const place = { realmId, file: `emoji/images/still/${stem}.png` };
    if (await storePicture(tx, place, still)) return stem;
    throw new Error(`the still picture ${place.file} has no emoji`);
  }
}

/** `image/png` → `png`. */
function extensionOf({ contentType }: MadePicture): string {
  return contentType.slice("image/".length);
}

/**
 * Deactivates an emoji (files.md §6), and sends an event to all users. Messages that show it stay as they are.
 * @throws ApiError `BAD_REQUEST`; 404 if the organization has no active emoji of this name
 */
export async function deactivateEmoji(tx: Tx, actor: Account, text: string): Promise<void> {
  const { realmId } = actor;
  const {
    now,
    found: [emoji],
  } = await loadAfter(lockOrganization(tx, realmId), {
    now: currentActor(tx, actor),
    found: tx.rows(activeEmoji, [realmId, text]),
  });
  if (!emoji) throw errors.notFound404("The organization has no active emoji with this name");
  if (emoji.authorId !== now.id && !isOrganizationAdministrator(now))
    throw errors.badRequest("Only administrators and the author of an emoji can deactivate it");
  const prisma = await tx.prisma();
  await prisma.realmEmoji.update({
    where: { id: emoji.id },
    data: { deactivated: true },
    select: { id: true },
  });
  recordAudit(tx, realmId, now.id, [{ type: "emoji_deactivated", data: { emoji_id: emoji.id } }]);
  emit(tx, realmId, [emojiUpdated({ emoji_id: String(emoji.id), data: { deactivated: true } })]);
}

const byNames = statement({
  name: "active-emoji-of-texts",
  text: `SELECT name, file FROM realm_emoji
    WHERE realm_id = $1 AND name = ANY(ARRAY(SELECT unnest($2::text[]))) AND NOT deactivated`,
});

/** Returns the active emoji with these names and the addresses of their pictures. */
export async function emojiOfTexts(
  sql: Sql,
  realmId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, { readonly url: string }>> {
  const rows = await sql.rows(byNames, [realmId, names]);
  return new Map(rows.map(({ name, file }) => [name, { url: emojiUrl(realmId, file) }]));
}
