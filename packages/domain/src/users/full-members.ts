import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import type { Realm } from "../realms/realm.ts";
import type { Account } from "./account.ts";

const day = 86_400;

/** Whether the account has been here for as many whole days as the organization wants of a full member. */
export function isPastWaitingPeriod(
  realm: Pick<Realm, "now" | "waitingPeriodThreshold">,
  account: Pick<Account, "dateJoined">,
): boolean {
  return Math.floor((realm.now - account.dateJoined) / day) >= realm.waitingPeriodThreshold;
}

/** A member's whole days since it joined; of the table `users`, called `u`. */
const age = `floor(extract(epoch FROM now() - u.date_joined) / ${day})`;

const missing = {
  name: "full-members-missing",
  text: `WITH added AS (
      INSERT INTO user_group_member (group_id, user_id)
      SELECT $2, u.id FROM users u
      WHERE u.realm_id = $1 AND u.role = 400 AND u.system_bot_kind IS NULL AND ${age} >= $3
      ORDER BY u.id
      ON CONFLICT DO NOTHING RETURNING user_id
    )
    SELECT u.id FROM added JOIN users u ON u.id = added.user_id WHERE u.is_active ORDER BY u.id`,
};

const surplus = {
  name: "full-members-surplus",
  text: `WITH removed AS (
      DELETE FROM user_group_member m USING users u
      WHERE m.group_id = $2 AND u.id = m.user_id AND u.realm_id = $1 AND ${age} < $3
      RETURNING m.user_id
    )
    SELECT u.id FROM removed JOIN users u ON u.id = removed.user_id WHERE u.is_active ORDER BY u.id`,
};

/**
 * Puts everybody into the full members' group who has passed the waiting period, and with `both` takes out who has
 * not (user-groups.md §2). Of those who are deactivated nobody is told.
 * @param groupId of `role:fullmembers`
 * @param days that a full member has been here, at least
 */
export async function recomputeFullMembers(
  tx: Tx,
  realmId: number,
  groupId: number,
  days: number,
  { both }: { readonly both: boolean },
): Promise<NewEvent[]> {
  const values = [realmId, groupId, days];
  const [removed, added] = await Promise.all([
    both ? tx.rows<{ id: number }>(surplus, values) : [],
    tx.rows<{ id: number }>(missing, values),
  ]);
  return [
    ...membershipEvents(
      "remove_members",
      [groupId],
      removed.map(({ id }) => id),
    ),
    ...membershipEvents(
      "add_members",
      [groupId],
      added.map(({ id }) => id),
    ),
  ];
}

/** What everybody is told when active accounts join or leave groups that are in use, one event a group. */
export function membershipEvents(
  op: "add_members" | "remove_members",
  groupIds: readonly number[],
  userIds: readonly number[],
): NewEvent[] {
  if (userIds.length === 0) return [];
  return groupIds.map((groupId) => ({
    type: "user_group",
    op,
    payload: { group_id: groupId, user_ids: userIds },
    audience: null,
  }));
}
