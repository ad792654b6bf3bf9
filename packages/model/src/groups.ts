import {
  type Audience,
  bounds,
  errors,
  type GroupPermission,
  groupPermissions,
  type GroupSettingValue,
  type LoggedFields,
  type NamesOf,
  type NewEvent,
  userGroupAdded,
  userGroupMembersAdded,
  userGroupMembersRemoved,
  type UserGroupObject,
  userGroupSubgroupsAdded,
  userGroupSubgroupsRemoved,
  userGroupUpdated,
} from "@carillon/contract";
import { type RowOf, type Sql, statement, typed } from "@carillon/db";
import { inSlices, isLongerThan } from "@carillon/kit";

import { groupsObject, loadGroupValues } from "./permissions/group-setting-values.ts";
import { checkNotReserved, checkVisible } from "./users/full-name.ts";

/**
 * A user group with the fields that the rules need.
 * - `groups`: the group of each permission.
 */
export type UserGroup = RowOf<typeof forRules>;

const columns = `id, name, description, is_system_group AS "isSystemGroup", deactivated,
  ${groupsObject(groupPermissions)} AS groups`;

const forRules = statement({
  name: "user-group-for-rules",
  text: `SELECT ${columns} FROM named_user_group WHERE realm_id = $1 AND id = $2`,
  overrides: {
    /** The group of each permission. */
    groups: typed<Readonly<Record<GroupPermission, number>>>(),
  },
});

/** Finds the organization's group with this id. It cannot change while the group graph is held. */
export async function findUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroup | undefined> {
  return (await sql.rows(forRules, [realmId, groupId]))[0];
}

const severalForRules = statement({
  name: "user-groups-for-rules",
  text: `SELECT ${columns} FROM named_user_group WHERE realm_id = $1 AND id = ANY($2::int[])`,
  overrides: {
    /** The group of each permission. */
    groups: typed<Readonly<Record<GroupPermission, number>>>(),
  },
});

/** Finds the organization's groups with these ids, by id. */
export async function findUserGroups(
  sql: Sql,
  realmId: number,
  ids: readonly number[],
): Promise<Map<number, UserGroup>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.rows(severalForRules, [realmId, ids]);
  return new Map(rows.map((group) => [group.id, group]));
}

type PermissionNames = NamesOf<typeof groupPermissions>;

/** A group as stored, with the groups of its permissions. */
type StoredUserGroup = Omit<UserGroupObject, PermissionNames> & Record<PermissionNames, number>;

/** Wire names of the permissions. */
const groupPermissionNames = Object.values(groupPermissions).map(({ name }) => name);

/**
 * Converts a group to its wire format.
 * @param valueOf from `loadGroupValues`, for the permissions of all groups to convert
 */
function presentUserGroup(
  group: StoredUserGroup,
  valueOf: (groupId: number) => GroupSettingValue,
): UserGroupObject {
  const values = groupPermissionNames.map((name) => [name, valueOf(group[name])] as const);
  const permissions = Object.fromEntries(values) as Record<PermissionNames, GroupSettingValue>;
  return { ...group, ...permissions };
}

/**
 * SQL: groups with their members. Members are returned as JSON: a list of ten thousand is parsed in a fraction of the
 * time of a PostgreSQL array.
 */
const objects = (condition: string) => `WITH groups AS (
      SELECT * FROM named_user_group WHERE realm_id = $1 AND ${condition}
    ), members AS (
      SELECT m.group_id, json_agg(m.user_id ORDER BY m.user_id) AS ids
      FROM user_group_member m JOIN groups g ON g.id = m.group_id JOIN users u ON u.id = m.user_id
      WHERE u.is_active GROUP BY m.group_id
    ), subgroups AS (
      SELECT s.supergroup_id, json_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
      FROM user_group_subgroup s JOIN groups g ON g.id = s.supergroup_id GROUP BY s.supergroup_id
    )
    SELECT g.id, g.name, g.description, floor(extract(epoch FROM g.date_created))::float8 AS date_created,
      g.creator_id, coalesce(members.ids, '[]') AS members, coalesce(subgroups.ids, '[]') AS direct_subgroup_ids,
      g.is_system_group, g.deactivated, ${groupPermissionNames.map((name) => `g.${name}_id AS ${name}`).join(", ")}
    FROM groups g LEFT JOIN members ON members.group_id = g.id LEFT JOIN subgroups ON subgroups.supergroup_id = g.id
    ORDER BY g.id`;

const objectOverrides = { members: typed<number[]>(), direct_subgroup_ids: typed<number[]>() };

const byRealm = statement({
  name: "user-groups",
  text: objects("($2 OR NOT deactivated)"),
  overrides: objectOverrides,
});
const byGroup = statement({
  name: "user-group",
  text: objects("id = $2"),
  overrides: objectOverrides,
});

/** Lists the organization's user groups by id, including system groups, with two statements. */
export async function listUserGroups(
  sql: Sql,
  realmId: number,
  options: { readonly deactivated: boolean },
): Promise<UserGroupObject[]> {
  const groups = await sql.rows(byRealm, [realmId, options.deactivated]);
  const used = groups.flatMap((group) => groupPermissionNames.map((name) => group[name]));
  const valueOf = await loadGroupValues(sql, used);
  return inSlices(groups, (group) => presentUserGroup(group, valueOf));
}

/**
 * Loads one group of the organization.
 * @throws Error if there is none: use only for groups that the transaction has locked
 */
export async function loadUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroupObject> {
  const [group] = await sql.rows(byGroup, [realmId, groupId]);
  if (!group) throw new Error(`there is no user group ${groupId}`);
  const valueOf = await loadGroupValues(
    sql,
    groupPermissionNames.map((name) => group[name]),
  );
  return presentUserGroup(group, valueOf);
}

/** The fields of a group that every event needs. */
interface GroupOfEvent {
  readonly id: number;
  /** Whether it is deactivated before and after the change. */
  readonly deactivated: boolean;
}

/** Makes the events of user groups (events.md §4); none for empty lists. */
export const groupEvents = {
  added: (group: UserGroupObject): NewEvent => userGroupAdded({ group, ...mark(group) }),
  updated: (group: GroupOfEvent, data: LoggedFields<typeof userGroupUpdated>["data"]): NewEvent =>
    userGroupUpdated({ group_id: group.id, data, ...mark(group) }),
  /** Contains the whole group, for clients that did not have it. */
  reactivated: (group: UserGroupObject): NewEvent =>
    userGroupUpdated({ group_id: group.id, data: { deactivated: false }, group }),
  membersAdded: (group: GroupOfEvent, user_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersAdded({ group_id: group.id, user_ids, ...mark(group) }),
    ),
  membersRemoved: (
    group: GroupOfEvent,
    user_ids: readonly number[],
    audience: Audience = null,
  ): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersRemoved({ group_id: group.id, user_ids, ...mark(group) }, { audience }),
    ),
  subgroupsAdded: (group: GroupOfEvent, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsAdded({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
  subgroupsRemoved: (group: GroupOfEvent, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsRemoved({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
};

function mark({ deactivated }: GroupOfEvent): { deactivated?: true } {
  return deactivated ? { deactivated: true } : {};
}

function unlessEmpty(ids: readonly number[], make: () => NewEvent): NewEvent[] {
  return ids.length > 0 ? [make()] : [];
}

/** Maximum code points of a group's name. */
const maxGroupNameLength = 100;

/** Names with these prefixes could be mistaken for a mention, a system group, or the name of another object. */
const reserved = ["@", "role:", "user:", "stream:", "channel:"] as const;

/**
 * Checks the rules for names that do not depend on other groups (user-groups.md §5.2). Names are stored as sent.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkGroupName(name: string): void {
  if (name.trim() === "") throw errors.badRequest("The name of a user group must not be blank");
  if (isLongerThan(name, maxGroupNameLength))
    throw errors.badRequest(
      `The name of a user group must not have more than ${maxGroupNameLength} characters`,
    );
  checkVisible("The name of a user group", name);
  checkNotReserved("The name of a user group", name);
  const prefix = reserved.find((start) => name.startsWith(start));
  if (prefix !== undefined)
    throw errors.badRequest(`The name of a user group must not begin with ${prefix}`);
}

const named = statement({
  name: "group-by-name",
  text: `SELECT FROM named_user_group WHERE realm_id = $1 AND name = $2`,
});

/**
 * Checks that no group has the name, case-sensitively; deactivated and system groups count. The caller must hold the
 * group graph, so that the name stays free.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkNameIsUnused(sql: Sql, realmId: number, name: string): Promise<void> {
  const rows = await sql.rows(named, [realmId, name]);
  if (rows.length > 0) throw errors.badRequest(`There is already a user group named ${name}`);
}

/**
 * Checks the length of a description: every registration contains the descriptions of all groups.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkGroupDescription(description: string): void {
  if (isLongerThan(description, bounds.groupDescription))
    throw errors.badRequest(
      `The description of a user group must not have more than ${bounds.groupDescription} characters`,
    );
}
