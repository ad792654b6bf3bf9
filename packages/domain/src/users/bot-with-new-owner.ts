import { type Account, loadRealm, roleOfBotsComingBack } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { changeRoles } from "./change-role.ts";

const guestNoMore = statement({
  name: "bot-guest-no-more",
  text: `UPDATE users SET guest_with_owner = false WHERE id = $1 AND guest_with_owner RETURNING id`,
  row: { id: column.int },
});

/**
 * A bot that became a guest with its owner is one no more: its new owner is none (users.md §3). The group graph must be
 * locked.
 * @param bot as it is by now
 * @returns what to tell
 */
export async function botWithNewOwner(tx: Tx, bot: Account): Promise<NewEvent[]> {
  const was = await tx.first(guestNoMore, [bot.id]);
  if (!was) return [];
  const realm = await loadRealm(tx, bot.realmId);
  return changeRoles(tx, realm, [bot], roleOfBotsComingBack);
}
