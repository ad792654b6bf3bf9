import { type Account, loadAllMembers, loadAllSubgroups, loadAfter } from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, typed, type Sql } from "@carillon/db";

import { noSuchGroup } from "./open-group.ts";

/**
 * Returns the group's active members, ascending, including those of subgroups unless `directOnly` (user-groups.md
 * §5.7).
 * @throws ApiError `BAD_REQUEST` unless the group exists and is active
 */
export async function readMembers(
  sql: Sql,
  viewer: Account,
  groupId: number,
  options: { readonly directOnly: boolean },
): Promise<number[]> {
  const { members } = await loadAfter(requireActiveGroup(sql, viewer, groupId), {
    members: options.directOnly ? directMembers(sql, groupId) : loadAllMembers(sql, [groupId]),
  });
  return members;
}

const activeAccount = statement({
  name: "account-is-active",
  text: "SELECT FROM users WHERE realm_id = $1 AND id = $2 AND is_active",
});

/**
 * Whether an active account is in the group, at any depth unless `directOnly`.
 * @throws ApiError `BAD_REQUEST` unless both exist and are active
 */
export async function readMembership(
  sql: Sql,
  viewer: Account,
  groupId: number,
  userId: number,
  options: { readonly directOnly: boolean },
): Promise<boolean> {
  const {
    users,
    membershipRows: [membership],
  } = await loadAfter(requireActiveGroup(sql, viewer, groupId), {
    users: sql.rows(activeAccount, [viewer.realmId, userId]),
    membershipRows: sql.rows(isMember, [groupId, userId, options.directOnly]),
  });
  if (users.length === 0) throw errors.badRequest("There is no such active user");
  return membership?.found ?? false;
}

/** Walks from the account upwards, which is cheap however large the group is. */
const isMember = statement({
  name: "is-group-member",
  text: `WITH RECURSIVE above (id) AS (
      SELECT group_id FROM user_group_member WHERE user_id = $2
      UNION SELECT s.supergroup_id FROM above JOIN user_group_subgroup s ON s.subgroup_id = above.id AND NOT $3
    )
    SELECT EXISTS (SELECT FROM above WHERE id = $1) AS found`,
});

/**
 * Returns the group's subgroups, ascending, at any depth unless `directOnly`.
 * @throws ApiError `BAD_REQUEST` unless the group exists and is active
 */
export async function readSubgroups(
  sql: Sql,
  viewer: Account,
  groupId: number,
  options: { readonly directOnly: boolean },
): Promise<number[]> {
  const { subgroups } = await loadAfter(requireActiveGroup(sql, viewer, groupId), {
    subgroups: options.directOnly ? directSubgroups(sql, groupId) : loadAllSubgroups(sql, groupId),
  });
  return subgroups;
}

const named = statement({
  name: "group-of-realm",
  text: "SELECT deactivated FROM named_user_group WHERE realm_id = $1 AND id = $2",
});

async function requireActiveGroup(sql: Sql, viewer: Account, groupId: number): Promise<void> {
  const [group] = await sql.rows(named, [viewer.realmId, groupId]);
  if (!group) throw noSuchGroup();
  if (group.deactivated) throw errors.badRequest("The user group is deactivated");
}

const membersOf = statement({
  name: "group-direct-members",
  text: `SELECT coalesce(json_agg(m.user_id ORDER BY m.user_id), '[]') AS ids
    FROM user_group_member m JOIN users u ON u.id = m.user_id AND u.is_active WHERE m.group_id = $1`,
  overrides: { ids: typed<number[]>() },
});

async function directMembers(sql: Sql, groupId: number): Promise<number[]> {
  const [row] = await sql.rows(membersOf, [groupId]);
  return row?.ids ?? [];
}

const subgroupsOf = statement({
  name: "group-direct-subgroups",
  text: "SELECT subgroup_id AS id FROM user_group_subgroup WHERE supergroup_id = $1 ORDER BY 1",
});

async function directSubgroups(sql: Sql, groupId: number): Promise<number[]> {
  const rows = await sql.rows(subgroupsOf, [groupId]);
  return rows.map(({ id }) => id);
}
