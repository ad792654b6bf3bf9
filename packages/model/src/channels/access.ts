import { channelPermissions, isGuest, type ChannelPermission } from "@carillon/contract";

import {
  isOrganizationAdministrator,
  type Memberships,
  type PermissionSubject,
} from "../permissions/memberships.ts";
import type { Channel } from "./channel.ts";

/*
 * The access rules of channels.md §3. What has to ask the database instead finds the same rules as conditions of a
 * statement in `access-sql.ts`, and as whole audiences in `audiences.ts`; test/e2e/channels-access.test.ts holds
 * them against each other, and nobody else looks at the columns that they are made of (test/boundaries/access.test.ts).
 */

/** The permissions whose holders may read a private channel (channels.md §2). */
export const readingPermissions = [
  "canSubscribeGroup",
  "canAddSubscribersGroup",
] as const satisfies readonly ChannelPermission[];

/** Those whose holders know of it: the same, and who administers it. */
export const showingPermissions = [
  ...readingPermissions,
  "canAdministerChannelGroup",
] as const satisfies readonly ChannelPermission[];

/** What the access rules look at. */
export type AccessFacts = Pick<
  Channel,
  "inviteOnly" | "isWebPublic" | `${(typeof readingPermissions)[number]}Id`
>;

export type AdministrationFacts = Pick<Channel, "canAdministerChannelGroupId">;

/**
 * Whether the account may read the channel's messages (channels.md §3). Roles above member open no private channel.
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

/** Whether the account may know the channel: its name, its settings, its subscribers. */
export function hasMetadataAccess(
  account: PermissionSubject,
  channel: AccessFacts & AdministrationFacts,
  memberships: Memberships,
  subscribed: boolean,
): boolean {
  return (
    hasContentAccess(account, channel, memberships, subscribed) ||
    mayAdminister(account, channel, memberships)
  );
}

/** Whether the account may change the channel: administrators any, others by its own permission. */
export function mayAdminister(
  account: PermissionSubject,
  channel: AdministrationFacts,
  memberships: Memberships,
): boolean {
  if (isOrganizationAdministrator(account)) return true;
  const { canAdministerChannelGroup } = channelPermissions;
  return memberships.holds(account, canAdministerChannelGroup, channel.canAdministerChannelGroupId);
}

/** What {@link isPublic} looks at. */
export type PublicFacts = Pick<Channel, "inviteOnly">;

/** Whether every account but guests may read the channel without having been let in; web-public ones are public, too. */
export function isPublic({ inviteOnly }: PublicFacts): boolean {
  return !inviteOnly;
}

/**
 * Whether those who may read the channel read only what they have received themselves; of another one they read
 * everything (messages.md §2.1). Only private channels are like that: the table has a constraint.
 */
export function hasProtectedHistory(channel: Pick<Channel, "historyPublicToSubscribers">): boolean {
  return !channel.historyPublicToSubscribers;
}
