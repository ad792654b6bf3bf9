import { errors, isGuest, roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { accountColumns, accountOverrides, type Account } from "./account.ts";

/** Role of a bot whose owner stops being a guest; only administrators give other roles. */
export const roleOfFormerGuestBots = roles.member;

const following = statement({
  name: "bots-that-follow",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.bot_owner_id = $2 AND u.is_bot
      AND CASE WHEN $3 THEN u.role <> ${roles.guest} ELSE u.guest_with_owner END
    ORDER BY u.id`,
  overrides: accountOverrides,
});

const mark = statement({
  name: "bots-that-follow-mark",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE users u SET guest_with_owner = $2 FROM held WHERE u.id = held.id`,
});

/**
 * Returns the bots whose role changes with their owner's (users.md §3), including deactivated ones: if the owner
 * becomes a guest, all bots that are not guests; if the owner stops being one, the bots that became guests with the
 * owner. Marks them accordingly. The group graph, the account and its bots must be locked, so that no bot is added and
 * no role changes.
 */
export async function botsFollowingOwner(
  tx: Tx,
  owner: Pick<Account, "id" | "realmId" | "role">,
  role: number,
): Promise<Account[]> {
  if (isGuest(owner) === (role === roles.guest)) return [];
  const becomesGuest = role === roles.guest;
  const bots = await tx.rows(following, [owner.realmId, owner.id, becomesGuest]);
  const ids = bots.map(({ id }) => id);
  if (ids.length > 0) await tx.lock({ name: "accounts", keys: ids }, mark, [ids, becomesGuest]);
  return bots;
}

/**
 * Checks that the owner of a bot is not a guest: otherwise the bot could read what its owner may not.
 * @throws ApiError `BAD_REQUEST` if the owner is a guest
 */
export async function checkOwnerIsNoGuest(tx: Tx, bot: Account): Promise<void> {
  if (bot.botOwnerId === null) return;
  const prisma = await tx.prisma();
  const owner = await prisma.user.findUnique({
    where: { id: bot.botOwnerId },
    select: { role: true },
  });
  if (owner && isGuest(owner))
    throw errors.badRequest("The bot of a guest is a guest: change its owner's role");
}
