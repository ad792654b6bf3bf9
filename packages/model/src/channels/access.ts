import { isGuest, channelPermissions } from "@carillon/contract";

import { isOrganizationAdministrator } from "../permissions/administrators.ts";
import type { Memberships, PermissionSubject } from "../permissions/memberships.ts";
import type { Channel } from "./channel.ts";

/** What the access rules look at. */
export type AccessFacts = Pick<
  Channel,
  "inviteOnly" | "isWebPublic" | "canAddSubscribersGroupId" | "canSubscribeGroupId"
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
  if (!channel.inviteOnly) return true;
  const { canSubscribeGroup, canAddSubscribersGroup } = channelPermissions;
  return (
    memberships.holds(account, canSubscribeGroup, channel.canSubscribeGroupId) ||
    memberships.holds(account, canAddSubscribersGroup, channel.canAddSubscribersGroupId)
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
