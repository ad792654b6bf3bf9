import { errors, isGuest, roles } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { accountColumns, accountRow, type Account } from "./account.ts";

/** What a bot is again whose owner is a guest no more: other roles are given by administrators, each time anew. */
export const roleOfBotsComingBack = roles.member;

const following = statement({
  name: "bots-that-follow",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.bot_owner_id = $2 AND u.is_bot
      AND CASE WHEN $3 THEN u.role <> ${roles.guest} ELSE u.guest_with_owner END
    ORDER BY u.id`,
  row: accountRow,
});

const mark = statement({
  name: "bots-that-follow-mark",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE users u SET guest_with_owner = $2 FROM held WHERE u.id = held.id`,
  row: {},
});

/**
 * The bots that get another role with their owner (users.md §3), deactivated ones too: of a person who becomes a guest
 * all that are none yet, of a person who is one no more those that became guests with it. They are marked as what they
 * are now. The group graph must be locked, nobody gets a bot or another role meanwhile, and so must the account with
 * its bots.
 */
export async function botsThatFollow(
  tx: Tx,
  owner: Pick<Account, "id" | "realmId" | "role">,
  role: number,
): Promise<Account[]> {
  if (isGuest(owner) === (role === roles.guest)) return [];
  const becomes = role === roles.guest;
  const bots = await tx.rows(following, [owner.realmId, owner.id, becomes]);
  const ids = bots.map(({ id }) => id);
  if (ids.length > 0) await tx.lock({ name: "accounts", keys: ids }, mark, [ids, becomes]);
  return bots;
}

const roleOf = statement({
  name: "role-of-account",
  text: "SELECT role FROM users WHERE id = $1",
  row: { role: column.int },
});

/** @throws ApiError `BAD_REQUEST` for a bot of a guest: it would read what its owner may not */
export async function checkOwnerIsNoGuest(tx: Tx, bot: Account): Promise<void> {
  const owner = await tx.first(roleOf, [bot.botOwnerId]);
  if (owner && isGuest(owner))
    throw errors.badRequest("The bot of a guest is a guest: change its owner's role");
}
