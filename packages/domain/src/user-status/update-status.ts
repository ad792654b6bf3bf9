import {
  type Account,
  type UserStatus,
  audienceSeeing,
  statusChanged,
  statusColumns,
  statusRow,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";

import { statusEmoji, type NamedEmoji } from "./status-emoji.ts";

/** Code points that a status text may have. */
const maxTextLength = 60;

const insertEmpty = statement({
  name: "status-insert-empty",
  text: "INSERT INTO user_status (user_id, realm_id) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING",
  row: {},
});

const lockOwn = statement({
  name: "status-lock",
  text: `SELECT ${statusColumns} FROM user_status s WHERE s.user_id = $1 FOR NO KEY UPDATE`,
  row: statusRow,
});

const store = statement({
  name: "status-store",
  text: `UPDATE user_status SET status_text = $2, emoji_name = $3, emoji_code = $4, reaction_type = $5,
      updated_at = now()
    WHERE user_id = $1`,
  row: {},
});

/**
 * Sets what the account says of itself, and tells everybody what has changed (clients.md §4). What is not given stays.
 * @throws ApiError `BAD_REQUEST` when nothing is given, for a text that is too long and an emoji that is unknown
 */
export async function updateStatus(
  tx: Tx,
  actor: Account,
  text: string | undefined,
  emoji: NamedEmoji,
): Promise<void> {
  const wanted = { ...textField(text), ...statusEmoji(emoji) };
  if (Object.keys(wanted).length === 0)
    throw errors.badRequest("Nothing to change: send status_text or emoji_name");
  const audience = await audienceSeeing(tx, actor);
  // The row is there from the first time on, so that there is one to lock.
  const [, [before]] = await Promise.all([
    tx.rows(insertEmpty, [actor.id, actor.realmId]),
    tx.lock({ name: "ownState", keys: [actor.id] }, lockOwn, [actor.id]),
  ]);
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

/** The text, or the emoji with all three of its fields, or both. */
function changedFields(before: UserStatus, wanted: Partial<UserStatus>): Partial<UserStatus> {
  const { status_text, ...emoji } = wanted;
  return {
    ...(status_text === undefined || status_text === before.status_text ? {} : { status_text }),
    ...(emoji.emoji_name === before.emoji_name ? {} : emoji),
  };
}
