import { type GroupSettingValue, groupPermissions, type NamesOf } from "@carillon/contract";

type PermissionNames = NamesOf<typeof groupPermissions>;

/** A user group as clients see it (user-groups.md §5). Lists ascend. */
export interface UserGroupObject extends Record<PermissionNames, GroupSettingValue> {
  id: number;
  name: string;
  description: string;
  /** UNIX time in seconds; null where it is not known, as for system groups. */
  date_created: number | null;
  creator_id: number | null;
  /** The direct ones that are active. */
  members: number[];
  direct_subgroup_ids: number[];
  is_system_group: boolean;
  deactivated: boolean;
}

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
