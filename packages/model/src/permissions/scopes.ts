import {
  channelPermissions,
  groupPermissions,
  realmPermissions,
  type GroupSettingUpdate,
  type Permissions,
} from "@carillon/contract";

/** What permissions belong to: an organization, a channel, a user group. */
export type PermissionScope = "realm" | "channel" | "group";

/** Where the group settings of a scope are stored: a row each, with a column for each permission. */
interface Storage {
  readonly permissions: Permissions;
  readonly table: string;
  /** The column that names the row's organization. */
  readonly realmColumn: string;
}

export const scopes = {
  realm: { permissions: realmPermissions, table: "realms", realmColumn: "id" },
  channel: { permissions: channelPermissions, table: "channels", realmColumn: "realm_id" },
  group: { permissions: groupPermissions, table: "named_user_group", realmColumn: "realm_id" },
} as const satisfies Readonly<Record<PermissionScope, Storage>>;

/** The permissions of a scope, by their names inside of the code. */
export type PermissionOf<Scope extends PermissionScope> =
  keyof (typeof scopes)[Scope]["permissions"];

/** What somebody wants to set permissions of a scope to. */
export type GroupSettingUpdates<Scope extends PermissionScope> = Readonly<
  Partial<Record<PermissionOf<Scope>, GroupSettingUpdate | undefined>>
>;
