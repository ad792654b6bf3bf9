import { channelPermissions, isGuest, type ChannelPermission } from "@carillon/contract";

import {
  isOrganizationAdministrator,
  type Memberships,
  type PermissionSubject,
} from "../permissions/memberships.ts";
import type { Channel } from "./channel.ts";

/*
 * The access rules of channels.md §3. `access-sql.ts` has the same rules as SQL conditions, and `audiences.ts` as whole
 * audiences; test/e2e/channels-access.test.ts compares them. No other code may read the columns on which they are based
 * (test/boundaries/access.test.ts).
 */

/** The permissions that allow reading a private channel (channels.md §2). */
export const readingPermissions = [
  "canSubscribeGroup",
  "canAddSubscribersGroup",
] as const satisfies readonly ChannelPermission[];

/** The permissions that allow seeing a private channel: the same, and administering it. */
export const showingPermissions = [
  ...readingPermissions,
  "canAdministerChannelGroup",
] as const satisfies readonly ChannelPermission[];

/** The columns that the access rules use. */
export type AccessFacts = Pick<
  Channel,
  "inviteOnly" | "isWebPublic" | `${(typeof readingPermissions)[number]}Id`
>;

export type AdministrationFacts = Pick<Channel, "canAdministerChannelGroupId">;

/**
 * Whether the account may read the channel's messages (channels.md §3). Roles above member do not open private
 * channels.
 * @param subscribed whether the account is subscribed
 */
export function hasContentAccess(
  account: PermissionSubject,
  channel: AccessFacts,
  memberships: Memberships,
  subscribed: boolean,
): boolean {
  if (channel.isWebPublic || subscribed) return true;
  if (isGuest(account)) return false;
  if (isPublic(channel)) return true;
  return readingPermissions.some((name) =>
    memberships.holds(account, channelPermissions[name], channel[`${name}Id`]),
  );
}

/** Whether the account can see the channel's name, settings and subscribers. */
export function hasMetadataAccess(
  account: PermissionSubject,
  channel: AccessFacts & AdministrationFacts,
  memberships: Memberships,
  subscribed: boolean,
): boolean {
  return (
    hasContentAccess(account, channel, memberships, subscribed) ||
    canAdminister(account, channel, memberships)
  );
}

/** Whether the account may change the channel: any channel for administrators, otherwise by permission. */
export function canAdminister(
  account: PermissionSubject,
  channel: AdministrationFacts,
  memberships: Memberships,
): boolean {
  if (isOrganizationAdministrator(account)) return true;
  const { canAdministerChannelGroup } = channelPermissions;
  return memberships.holds(account, canAdministerChannelGroup, channel.canAdministerChannelGroupId);
}

/** The column that {@link isPublic} uses. */
export type PublicFacts = Pick<Channel, "inviteOnly">;

/** Whether all accounts except guests may read the channel; true for web-public channels too. */
export function isPublic({ inviteOnly }: PublicFacts): boolean {
  return !inviteOnly;
}

/**
 * Whether readers of the channel can read only messages that they have received; otherwise they can read all of them
 * (messages.md §2.1). Only private channels can have protected history: the table has a constraint.
 */
export function hasProtectedHistory(channel: Pick<Channel, "historyPublicToSubscribers">): boolean {
  return !channel.historyPublicToSubscribers;
}
