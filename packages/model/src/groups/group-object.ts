import {
  type GroupSettingValue,
  groupPermissions,
  type NamesOf,
  type UserGroupObject,
} from "@carillon/contract";

type PermissionNames = NamesOf<typeof groupPermissions>;

/** A group as it is stored, with the groups of its permissions. */
export type StoredUserGroup = Omit<UserGroupObject, PermissionNames> &
  Record<PermissionNames, number>;

/** Its permissions, by their names on the wire. */
export const groupPermissionNames = Object.values(groupPermissions).map(({ name }) => name);

/** @param valueOf from `loadGroupValues`, with the permissions of all the groups that are presented */
export function presentUserGroup(
  group: StoredUserGroup,
  valueOf: (groupId: number) => GroupSettingValue,
): UserGroupObject {
  const values = groupPermissionNames.map((name) => [name, valueOf(group[name])] as const);
  const permissions = Object.fromEntries(values) as Record<PermissionNames, GroupSettingValue>;
  return { ...group, ...permissions };
}
