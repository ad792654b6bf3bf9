import {
  channelPermissions,
  groupPermissions,
  type Permissions,
  realmPermissions,
} from "@carillon/contract";

/** What permissions belong to. */
export type PermissionScope = "realm" | "channel" | "group";

/** Where the group settings of a scope are stored: a row each, with a column for each permission. */
interface Storage {
  readonly permissions: Permissions;
  readonly table: string;
  /** The column that names the row's organization. */
  readonly realmColumn: string;
}

export const scopes: Readonly<Record<PermissionScope, Storage>> = {
  realm: { permissions: realmPermissions, table: "realms", realmColumn: "id" },
  channel: { permissions: channelPermissions, table: "channels", realmColumn: "realm_id" },
  group: { permissions: groupPermissions, table: "named_user_group", realmColumn: "realm_id" },
};
