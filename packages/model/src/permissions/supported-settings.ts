import {
  channelSettings,
  groupSettings,
  realmSettings,
  systemGroups,
  type SettingRule,
  type SystemGroupName,
} from "./registry.ts";

/** What clients are told of a group-valued setting, so that they offer nothing that would be refused. */
export interface SupportedSetting {
  require_system_group: boolean;
  allow_internet_group: boolean;
  allow_nobody_group: boolean;
  allow_everyone_group: boolean;
  default_group_name: string;
  /** What system groups have, where they have the setting at all. */
  default_for_system_groups: SystemGroupName | null;
  /** Where not empty, no other system group will do. */
  allowed_system_groups: SystemGroupName[];
}

/** The registry as `server_supported_permission_settings` (user-groups.md §3). */
export const supportedPermissionSettings = {
  realm: supported(realmSettings, { creator: "", systemGroups: null }),
  stream: supported(channelSettings, { creator: "channel_creator", systemGroups: null }),
  group: supported(groupSettings, { creator: "group_creator", systemGroups: "role:nobody" }),
};

function supported(
  rules: Readonly<Record<string, SettingRule>>,
  names: { creator: string; systemGroups: SystemGroupName | null },
): Record<string, SupportedSetting> {
  const settings = Object.values(rules).map((rule): [string, SupportedSetting] => [
    rule.name,
    {
      require_system_group: rule.requireSystemGroup,
      allow_internet_group: false,
      allow_nobody_group: rule.allowNobody,
      allow_everyone_group: rule.allowEveryone,
      default_group_name: rule.default === "creator" ? names.creator : rule.default,
      default_for_system_groups: names.systemGroups,
      allowed_system_groups: allowedSystemGroups(rule),
    },
  ]);
  return Object.fromEntries(settings);
}

/** The protocol has no word for groups that are forbidden besides: then all the others are named. */
function allowedSystemGroups(rule: SettingRule): SystemGroupName[] {
  const { forbiddenSystemGroups: forbidden } = rule;
  if (!forbidden) return [...(rule.allowedSystemGroups ?? [])];
  return systemGroups
    .map(({ name }) => name)
    .filter((name) => !forbidden.includes(name) && name !== "role:internet");
}
