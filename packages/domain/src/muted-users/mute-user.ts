import { type Account, lockAccount } from "@carillon/model";
import { errors, mutedUsersChanged } from "@carillon/contract";
import type { Statement, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { listMutedUsers } from "./muted-users.ts";

/**
 * Mutes an account of the organization, whatever it is, for the actor (clients.md §4).
 * @throws ApiError `BAD_REQUEST` for oneself, for an unknown account and for one that is muted already
 */
export async function muteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  if (userId === actor.id) throw errors.badRequest("You cannot mute yourself");
  await change(tx, actor, userId, insert, "You have muted this user already");
}

/**
 * Takes the muting of an account back.
 * @throws ApiError `BAD_REQUEST` for an unknown account and for one that is not muted
 */
export async function unmuteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  await change(tx, actor, userId, remove, "You have not muted this user");
}

const insert =
  "INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1";
const remove = "DELETE FROM muted_users WHERE user_id = $1 AND muted_user_id = $2 RETURNING 1";

/** One change at a time for an account: the lists that it is told follow each other as the changes do. */
async function change(
  tx: Tx,
  actor: Account,
  userId: number,
  statement: Statement,
  noChange: string,
): Promise<void> {
  const [found] = await tx.rows("SELECT 1 FROM users WHERE realm_id = $1 AND id = $2", [
    actor.realmId,
    userId,
  ]);
  if (!found) throw errors.badRequest("There is no such user");
  const [, changed, muted] = await Promise.all([
    lockAccount(tx, actor.realmId, actor.id),
    tx.rows(statement, [actor.id, userId]),
    listMutedUsers(tx, actor.id),
  ]);
  if (changed.length === 0) throw errors.badRequest(noChange);
  emit(tx, actor.realmId, [mutedUsersChanged({ muted_users: muted }, { audience: [actor.id] })]);
}
