import { type Account, ownerRemains } from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, type Database, type Tx } from "@carillon/db";

import { byAccount, deactivateWithBots } from "./deactivate-with-bots.ts";

/**
 * Deactivates the actor's own account, with its bots (users.md §5).
 * @throws ApiError `CANNOT_DEACTIVATE_LAST_USER`
 */
export async function deactivateOwnUser(db: Database, actor: Account): Promise<void> {
  await deactivateWithBots(db, byAccount(actor, checkMayLeave), actor.id, {});
}

const anotherActive = statement({
  name: "another-active-account",
  text: `SELECT FROM users WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND id <> $2 LIMIT 1`,
  row: {},
});

/** Everybody may go but the last: one who is both the last account and the last owner is the last account. */
async function checkMayLeave(tx: Tx, actor: Account, user: Account): Promise<void> {
  if (!(await tx.first(anotherActive, [actor.realmId, user.id])))
    throw errors.cannotDeactivateLastUser("user", false);
  if (!(await ownerRemains(tx, user)))
    throw errors.cannotDeactivateLastUser("organization owner", true);
}
