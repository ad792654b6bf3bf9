import type { GroupSettingValue } from "../permissions/group-setting.ts";
import { groupSettings } from "../permissions/registry.ts";

type GroupSetting = keyof typeof groupSettings;
type SettingNames = (typeof groupSettings)[GroupSetting]["name"];

/** A user group as clients see it (user-groups.md §5). Lists ascend. */
export interface UserGroupObject extends Record<SettingNames, GroupSettingValue> {
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

/** A group as it is stored: its settings are the groups that hold them. */
export type StoredUserGroup = Omit<UserGroupObject, SettingNames> & Record<SettingNames, number>;

/** The settings by their wire names. */
export const groupSettingNames = Object.values(groupSettings).map(({ name }) => name);

/** @param valueOf from `loadGroupValues`, with the settings of all the groups that are presented */
export function presentUserGroup(
  group: StoredUserGroup,
  valueOf: (groupId: number) => GroupSettingValue,
): UserGroupObject {
  const values = groupSettingNames.map((name) => [name, valueOf(group[name])] as const);
  const settings = Object.fromEntries(values) as Record<SettingNames, GroupSettingValue>;
  return { ...group, ...settings };
}
