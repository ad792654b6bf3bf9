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
import { column, type Column, type RowOf, type Sql, statement } from "@carillon/db";
import { inSlices, isLongerThan } from "@carillon/kit";

import { groupsObject, loadGroupValues } from "./permissions/group-setting-values.ts";
import { checkNotReserved, checkVisible } from "./users/full-name.ts";

const rulesRow = {
  id: column.int,
  name: column.text,
  description: column.text,
  isSystemGroup: column.bool,
  deactivated: column.bool,
  /** The group of each permission. */
  groups: column.json<Readonly<Record<GroupPermission, number>>>(),
};

/** A user group, as the rules need it. */
export type UserGroup = RowOf<typeof rulesRow>;

const columns = `id, name, description, is_system_group AS "isSystemGroup", deactivated,
  ${groupsObject(groupPermissions)} AS groups`;

const forRules = statement({
  name: "user-group-for-rules",
  text: `SELECT ${columns} FROM named_user_group WHERE realm_id = $1 AND id = $2`,
  row: rulesRow,
});

/** The organization's group with this id. It stays as it is for as long as the group graph is held. */
export async function findUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroup | undefined> {
  return (await sql.rows(forRules, [realmId, groupId]))[0];
}

type PermissionNames = NamesOf<typeof groupPermissions>;

/** A group as it is stored, with the groups of its permissions. */
type StoredUserGroup = Omit<UserGroupObject, PermissionNames> & Record<PermissionNames, number>;

/** Its permissions, by their names on the wire. */
const groupPermissionNames = Object.values(groupPermissions).map(({ name }) => name);

/** @param valueOf from `loadGroupValues`, with the permissions of all the groups that are presented */
function presentUserGroup(
  group: StoredUserGroup,
  valueOf: (groupId: number) => GroupSettingValue,
): UserGroupObject {
  const values = groupPermissionNames.map((name) => [name, valueOf(group[name])] as const);
  const permissions = Object.fromEntries(values) as Record<PermissionNames, GroupSettingValue>;
  return { ...group, ...permissions };
}

/** Members as JSON: a list of ten thousand is read in a fraction of the time that an array of the database takes. */
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

const settingColumns = Object.fromEntries(
  groupPermissionNames.map((name) => [name, column.int]),
) as Record<(typeof groupPermissionNames)[number], Column<number>>;

const objectRow = {
  id: column.int,
  name: column.text,
  description: column.text,
  date_created: column.float.orNull(),
  creator_id: column.int.orNull(),
  members: column.json<number[]>(),
  direct_subgroup_ids: column.json<number[]>(),
  is_system_group: column.bool,
  deactivated: column.bool,
  ...settingColumns,
};

const byRealm = statement({
  name: "user-groups",
  text: objects("($2 OR NOT deactivated)"),
  row: objectRow,
});
const byGroup = statement({ name: "user-group", text: objects("id = $2"), row: objectRow });

/** The organization's user groups by id, system groups too; two statements, however many there are. */
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
 * One group of the organization.
 * @throws Error when there is none: ask only for groups that the transaction has in its hands
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

/** What is said of a group in every event. */
interface ToldGroup {
  readonly id: number;
  /** Before the change and after it. */
  readonly deactivated: boolean;
}

/** What everybody is told of user groups (events.md §4); nothing where a list is empty. */
export const groupEvents = {
  added: (group: UserGroupObject): NewEvent => userGroupAdded({ group, ...mark(group) }),
  updated: (group: ToldGroup, data: LoggedFields<typeof userGroupUpdated>["data"]): NewEvent =>
    userGroupUpdated({ group_id: group.id, data, ...mark(group) }),
  /** Back again; with the whole group for clients that did not have it. */
  reactivated: (group: UserGroupObject): NewEvent =>
    userGroupUpdated({ group_id: group.id, data: { deactivated: false }, group }),
  membersAdded: (group: ToldGroup, user_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersAdded({ group_id: group.id, user_ids, ...mark(group) }),
    ),
  membersRemoved: (
    group: ToldGroup,
    user_ids: readonly number[],
    audience: Audience = null,
  ): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersRemoved({ group_id: group.id, user_ids, ...mark(group) }, { audience }),
    ),
  subgroupsAdded: (group: ToldGroup, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsAdded({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
  subgroupsRemoved: (group: ToldGroup, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsRemoved({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
};

function mark({ deactivated }: ToldGroup): { deactivated?: true } {
  return deactivated ? { deactivated: true } : {};
}

function unlessEmpty(ids: readonly number[], make: () => NewEvent): NewEvent[] {
  return ids.length > 0 ? [make()] : [];
}

/** Code points that the name of a group may have. */
const maxGroupNameLength = 100;

/** What begins otherwise could be taken for a mention, a system group, or the name of something else. */
const reserved = ["@", "role:", "user:", "stream:", "channel:"] as const;

/**
 * The rules for names that need no look at other groups (user-groups.md §5.2). A name is stored as it was sent.
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
  row: {},
});

/**
 * Deactivated groups and those of the system keep their names, and case counts. Nobody else takes the name meanwhile
 * when the transaction holds the lock of the group graph.
 * @throws ApiError `BAD_REQUEST` when another group has the name
 */
export async function checkNameIsUnused(sql: Sql, realmId: number, name: string): Promise<void> {
  const rows = await sql.rows(named, [realmId, name]);
  if (rows.length > 0) throw errors.badRequest(`There is already a user group named ${name}`);
}

/**
 * Every registration gets the descriptions of all groups.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkGroupDescription(description: string): void {
  if (isLongerThan(description, bounds.groupDescription))
    throw errors.badRequest(
      `The description of a user group must not have more than ${bounds.groupDescription} characters`,
    );
}
