import { loadNamedGroups } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

/** Whose settings are changed. */
export interface TargetUsers {
  readonly userIds: readonly number[];
  /** With their subgroups. */
  readonly groupIds: readonly number[];
  /** Leaves everybody what they have changed themselves. */
  readonly skipEdited: boolean;
}

const people = statement({
  name: "people-with-members-lock",
  text: `WITH RECURSIVE below (id) AS (
      SELECT unnest($3::int[])
      UNION SELECT s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
    )
    SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND NOT u.is_bot AND (u.id = ANY($2::int[]) OR u.id IN (
      SELECT m.user_id FROM below JOIN user_group_member m ON m.group_id = below.id))
    ORDER BY u.id FOR NO KEY UPDATE OF u`,
  row: { id: column.int },
});

/**
 * Locks them, deactivated people too; bots among them are passed over. The group graph must be held.
 * @returns their ids
 * @throws ApiError `BAD_REQUEST` where an account or a group is none of the organization, or a group is deactivated
 */
export async function lockTargetPeople(
  tx: Tx,
  realmId: number,
  targets: TargetUsers,
): Promise<number[]> {
  const { userIds, groupIds } = targets;
  if (userIds.length + groupIds.length === 0)
    throw errors.badRequest("target_users must name user_ids or group_ids");
  const [rows] = await Promise.all([
    tx.lock({ name: "accounts" }, people, [realmId, userIds, groupIds]),
    checkTargets(tx, realmId, targets),
  ]);
  return rows.map(({ id }) => id);
}

const known = statement({
  name: "accounts-known",
  text: `SELECT count(*)::int AS count FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND system_bot_kind IS NULL`,
  row: { count: column.int },
});

async function checkTargets(tx: Tx, realmId: number, targets: TargetUsers): Promise<void> {
  const [userIds, groupIds] = [new Set(targets.userIds), new Set(targets.groupIds)];
  const [accounts, groups] = await Promise.all([
    tx.first(known, [realmId, [...userIds]]),
    loadNamedGroups(tx, realmId, [...groupIds]),
  ]);
  if (accounts?.count !== userIds.size)
    throw errors.badRequest("target_users names a user that there is not");
  const usable = [...groups.values()].filter(({ deactivated }) => !deactivated);
  if (usable.length !== groupIds.size)
    throw errors.badRequest("target_users names a group that there is not");
}
