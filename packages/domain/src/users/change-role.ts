import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { channelsSeenEvents, loadChannelsSeen } from "../channels/channels-seen.ts";
import { guestRole } from "../permissions/memberships.ts";
import { groupOfRole } from "../permissions/registry.ts";
import { loadSystemGroups } from "../permissions/system-groups.ts";
import type { Realm } from "../realms/realm.ts";
import type { Account } from "./account.ts";
import { isPastWaitingPeriod, membershipEvents } from "./full-members.ts";
import { checkOwnerRemains, ownerRole } from "./owner-set.ts";
import { personUpdated } from "./person-updated.ts";

const memberRole = 400;

/**
 * Whether the actor may give the account another role (users.md §3.2). The owner set must be locked where the account
 * is an owner.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function checkNewRole(
  tx: Tx,
  actor: Account,
  target: Account,
  role: number,
): Promise<void> {
  const ownersConcern = role === ownerRole || target.role === ownerRole;
  if (ownersConcern && actor.role !== ownerRole)
    throw errors.unauthorizedPrincipal("Only owners can give or take the owner's role");
  await checkOwnerRemains(tx, target);
  if (target.role === guestRole && role <= 200)
    throw errors.badRequest("A guest cannot become an administrator: make it a member first");
}

/**
 * Gives the account the role, with the memberships that follow from it (user-groups.md §2). The group graph must be
 * locked.
 * @param target as it is now, with another role
 * @returns what to tell: the role, the groups, and to the account itself the channels that it sees now or no longer
 */
export async function changeRole(
  tx: Tx,
  realm: Realm,
  target: Account,
  role: number,
): Promise<NewEvent[]> {
  const [groups, seen] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    target.isActive ? loadChannelsSeen(tx, realm.id, target) : [],
  ]);
  const groupOf = (of: number) => groups[groupOfRole[of] ?? "role:everyone"];
  const full = groups["role:fullmembers"];
  const becomesFull = role === memberRole && isPastWaitingPeriod(realm, target);
  const [left, joined] = await Promise.all([
    tx.rows<{ id: number }>(
      `DELETE FROM user_group_member WHERE user_id = $1 AND group_id = ANY($2::int[]) RETURNING group_id AS id`,
      [target.id, [groupOf(target.role), ...(becomesFull ? [] : [full])]],
    ),
    tx.rows<{ id: number }>(
      `INSERT INTO user_group_member (group_id, user_id) SELECT unnest($2::int[]), $1
       ON CONFLICT DO NOTHING RETURNING group_id AS id`,
      [target.id, [groupOf(role), ...(becomesFull ? [full] : [])]],
    ),
    tx.rows("UPDATE users SET role = $2 WHERE id = $1", [target.id, role]),
  ]);
  const told = [personUpdated(target.id, { role })];
  // Whoever is deactivated is on no list of members, and watches no channels.
  if (!target.isActive) return told;
  const moved = (rows: ReadonlyArray<{ id: number }>, inFull: boolean) =>
    rows.map(({ id }) => id).filter((id) => (id === full) === inFull);
  return [
    ...told,
    ...membershipEvents("remove_members", moved(left, false), [target.id]),
    ...membershipEvents("add_members", moved(joined, false), [target.id]),
    ...membershipEvents("remove_members", moved(left, true), [target.id]),
    ...membershipEvents("add_members", moved(joined, true), [target.id]),
    ...(await channelsSeenEvents(tx, realm.id, { ...target, role }, seen)),
  ];
}
