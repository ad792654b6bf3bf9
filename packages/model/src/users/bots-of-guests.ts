import { errors, isGuest, roles } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { accountColumns, accountRow, type Account } from "./account.ts";

/** What a bot is again whose owner is a guest no more: other roles are given by administrators, each time anew. */
export const roleOfBotsComingBack = roles.member;

const following = statement({
  name: "bots-that-follow",
  text: `WITH following AS MATERIALIZED (
      SELECT id, role FROM users
      WHERE realm_id = $1 AND bot_owner_id = $2 AND is_bot AND CASE WHEN $3 THEN role <> ${roles.guest} ELSE guest_with_owner END
    ), marked AS (
      UPDATE users SET guest_with_owner = $3 WHERE id IN (SELECT id FROM following)
    )
    SELECT ${accountColumns} FROM users u JOIN following f ON f.id = u.id ORDER BY u.id`,
  row: accountRow,
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
  return tx.rows(following, [owner.realmId, owner.id, becomes]);
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
