import type { Permission, Permissions } from "./permission.ts";
import { channelPermissions, groupPermissions, realmPermissions } from "./registry.ts";
import { systemGroups, type SystemGroupName } from "./system-groups.ts";

/** The description of a permission for clients, so that they offer no value that would be refused. */
export interface SupportedPermission {
  require_system_group: boolean;
  allow_internet_group: boolean;
  allow_nobody_group: boolean;
  allow_everyone_group: boolean;
  default_group_name: string;
  /** The default for system groups, if they have the permission. */
  default_for_system_groups: SystemGroupName | null;
  /** If not empty, other system groups are refused. */
  allowed_system_groups: SystemGroupName[];
}

/** The tables as `server_supported_permission_settings` (user-groups.md §3). */
export const supportedPermissionSettings = {
  realm: supported(realmPermissions, { creator: "", systemGroups: null }),
  stream: supported(channelPermissions, { creator: "channel_creator", systemGroups: null }),
  group: supported(groupPermissions, { creator: "group_creator", systemGroups: "role:nobody" }),
};

function supported(
  permissions: Permissions,
  names: { creator: string; systemGroups: SystemGroupName | null },
): Record<string, SupportedPermission> {
  const entries = Object.values(permissions).map((permission): [string, SupportedPermission] => [
    permission.name,
    {
      require_system_group: permission.requireSystemGroup,
      allow_internet_group: false,
      allow_nobody_group: permission.allowNobody,
      allow_everyone_group: permission.allowEveryone,
      default_group_name: permission.default === "creator" ? names.creator : permission.default,
      default_for_system_groups: names.systemGroups,
      allowed_system_groups: allowedSystemGroups(permission),
    },
  ]);
  return Object.fromEntries(entries);
}

/** The protocol cannot express forbidden groups: lists all allowed ones instead. */
function allowedSystemGroups(permission: Permission): SystemGroupName[] {
  const { forbiddenSystemGroups: forbidden } = permission;
  if (!forbidden) return [...(permission.allowedSystemGroups ?? [])];
  return systemGroups
    .map(({ name }) => name)
    .filter((name) => !forbidden.includes(name) && name !== "role:internet");
}
