import { errors } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import { findEmoji } from "./emoji/find-emoji.ts";
import {
  type Account,
  lockAccountAudience,
  currentActor,
  lockAccountShared,
  isOrganizationAdministrator,
  loadUserVisibility,
  noSuchUser,
  setFields,
  statusChanged,
  statusColumns,
  type UserStatus,
  loadAfter,
} from "@carillon/model";

const ofAccount = statement({
  name: "status-of-account",
  text: `SELECT u.id, u.is_bot AS "isBot", ${statusColumns} FROM users u LEFT JOIN user_status s ON s.user_id = u.id
    WHERE u.realm_id = $1 AND u.id = $2`,
});

/**
 * Returns the fields of an account's status that are set.
 * @throws ApiError `BAD_REQUEST` if there is no such account, or the viewer does not see it
 */
export async function readStatus(
  sql: Sql,
  viewer: Account,
  userId: number,
): Promise<Partial<UserStatus>> {
  const [[row], userVisibility] = await Promise.all([
    sql.rows(ofAccount, [viewer.realmId, userId]),
    loadUserVisibility(sql, viewer),
  ]);
  if (!row || !userVisibility.sees(row)) throw errors.badRequest("There is no such user");
  const { id: _id, isBot: _isBot, ...status } = row;
  return isThere(status) ? setFields(status) : {};
}

function isThere(row: { status_text: string | null }): row is UserStatus {
  return row.status_text !== null;
}

const ofRealm = statement({
  name: "statuses-of-realm",
  text: `SELECT s.user_id AS id, u.is_bot AS "isBot", ${statusColumns} FROM user_status s JOIN users u ON u.id = s.user_id
    WHERE s.realm_id = $1 AND (s.status_text <> '' OR s.emoji_name <> '')`,
});

/**
 * Returns the statuses of all accounts that the viewer sees, by account id, without empty ones. Includes deactivated
 * accounts, because reactivating one sends no status event.
 */
export async function listStatuses(
  sql: Sql,
  viewer: Account,
): Promise<Record<string, Partial<UserStatus>>> {
  const [rows, userVisibility] = await Promise.all([
    sql.rows(ofRealm, [viewer.realmId]),
    loadUserVisibility(sql, viewer),
  ]);
  return Object.fromEntries(
    rows
      .filter(userVisibility.sees)
      .map(({ id, isBot: _isBot, ...status }) => [id, setFields(status)]),
  );
}

/** Maximum code points of a status text. */
const maxTextLength = 60;

const insertEmpty = statement({
  name: "status-insert-empty",
  text: "INSERT INTO user_status (user_id, realm_id) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING",
});

const lockOwn = statement({
  name: "status-lock",
  text: `SELECT ${statusColumns} FROM user_status s WHERE s.user_id = $1 FOR NO KEY UPDATE`,
});

const store = statement({
  name: "status-store",
  text: `UPDATE user_status SET status_text = $2, emoji_name = $3, emoji_code = $4, reaction_type = $5,
      updated_at = now()
    WHERE user_id = $1`,
});

/**
 * Sets the account's status, and sends the changed fields to users who see the account (clients.md §4). Fields that are
 * not given stay.
 * @throws ApiError `BAD_REQUEST` if nothing is given, if the text is too long, and if the emoji is unknown
 */
export async function updateStatus(
  tx: Tx,
  actor: Account,
  text: string | undefined,
  emoji: NamedEmoji,
): Promise<void> {
  const wanted = { ...textField(text), ...(await statusEmoji(tx, actor, emoji)) };
  if (Object.keys(wanted).length === 0)
    throw errors.badRequest("Nothing to change: send status_text or emoji_name");
  const audience = await lockAccountAudience(tx, actor);
  // The first call inserts the row, so that there is a row to lock.
  const {
    beforeRows: [before],
  } = await loadAfter(tx.rows(insertEmpty, [actor.id, actor.realmId]), {
    beforeRows: tx.lock({ name: "ownState", keys: [actor.id] }, lockOwn, [actor.id]),
  });
  if (!before) throw new Error(`the account ${actor.id} has no row for its status`);
  const changed = changedFields(before, wanted);
  if (Object.keys(changed).length === 0) return;
  const after = { ...before, ...changed };
  await tx.rows(store, [
    actor.id,
    after.status_text,
    after.emoji_name,
    after.emoji_code,
    after.reaction_type,
  ]);
  emit(tx, actor.realmId, [statusChanged({ user_id: actor.id, ...changed }, audience)]);
}

function textField(text: string | undefined): Partial<UserStatus> {
  if (text === undefined) return {};
  const status_text = text.trim();
  if (isLongerThan(status_text, maxTextLength))
    throw errors.badRequest(`status_text has more than ${maxTextLength} characters`);
  return { status_text };
}

/** Returns the changed fields: the text, all three emoji fields, or both. */
function changedFields(before: UserStatus, wanted: Partial<UserStatus>): Partial<UserStatus> {
  const { status_text, ...emoji } = wanted;
  return {
    ...(status_text === undefined || status_text === before.status_text ? {} : { status_text }),
    ...(isSameEmoji(emoji, before) ? {} : emoji),
  };
}

/** Whether the emoji is the same. Compares more than names: a custom emoji may have the name of an earlier one. */
function isSameEmoji(
  emoji: Partial<UserStatus>,
  before: Pick<UserStatus, "emoji_name" | "emoji_code" | "reaction_type">,
): boolean {
  return (
    emoji.emoji_name === before.emoji_name &&
    emoji.emoji_code === before.emoji_code &&
    emoji.reaction_type === before.reaction_type
  );
}

/**
 * Sets the status of another account, as an administrator (clients.md §4).
 * @throws ApiError `BAD_REQUEST` if the account is not an active person of the organization, and as for one's own
 * status; `UNAUTHORIZED_PRINCIPAL` if the actor is no longer an administrator
 */
export async function updateStatusOfUser(
  tx: Tx,
  actor: Account,
  userId: number,
  text: string | undefined,
  emoji: NamedEmoji,
): Promise<void> {
  const target = await lockAccountShared(tx, actor.realmId, userId);
  if (!isOrganizationAdministrator(await currentActor(tx, actor)))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  if (!target?.isActive || target.isBot) throw noSuchUser();
  await updateStatus(tx, target, text, emoji);
}

/** An emoji as a request names it. */
interface NamedEmoji {
  /** Empty to remove the emoji. */
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

type StatusEmoji = Pick<UserStatus, "emoji_name" | "emoji_code" | "reaction_type">;

/**
 * Returns the emoji fields that a request asks for: empty ones to remove the emoji, undefined if the request does not
 * mention it.
 * @throws ApiError `BAD_REQUEST` for an unknown name, and for a code or a type that does not match the name
 */
async function statusEmoji(
  sql: Sql,
  { realmId }: Account,
  { name, code, type }: NamedEmoji,
): Promise<StatusEmoji | undefined> {
  if (name === undefined) {
    if (code === undefined && type === undefined) return undefined;
    throw errors.badRequest("emoji_code and reaction_type go with emoji_name: send that as well");
  }
  if (name === "") return { emoji_name: "", emoji_code: "", reaction_type: "" };
  const emoji = await findEmoji(sql, realmId, { name, code, type });
  return { emoji_name: name, emoji_code: emoji.code, reaction_type: emoji.type };
}
