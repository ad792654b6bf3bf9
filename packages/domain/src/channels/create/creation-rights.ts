import {
  type Account,
  type Memberships,
  type Realm,
  type SystemGroupIds,
  isOrganizationAdministrator,
} from "@carillon/model";
import { errors, isOwner, type RealmPermission, realmPermissions } from "@carillon/contract";

import type { ChannelGroupValues } from "./creation-groups.ts";
import type { CreationOptions } from "./creation-options.ts";

interface Creation {
  readonly realm: Realm;
  readonly creator: Account;
  readonly memberships: Memberships;
  readonly systemGroups: SystemGroupIds;
  readonly options: CreationOptions;
  readonly groups: ChannelGroupValues;
}

/**
 * Whether the creator may have such a channel (channels.md §4, steps 6 to 11, in that order).
 * @returns whether its history is to be for all subscribers, later ones too
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export function checkCreationRights(creation: Creation): boolean {
  const { creator, options } = creation;
  checkPrivacy(creation);
  if (options.isDefault) {
    if (!isOrganizationAdministrator(creator))
      throw errors.badRequest("Only administrators may make a channel a default one");
    if (options.inviteOnly) throw errors.badRequest("A default channel cannot be private");
  }
  checkWebPublic(creation);
  if (options.messageRetentionDays !== "realm_default" && !isOwner(creator))
    throw errors.unauthorizedPrincipal("Only owners may set message_retention_days");
  if (
    options.topicsPolicy !== "inherit" &&
    !isOrganizationAdministrator(creator) &&
    !holds(creation, "canSetTopicsPolicyGroup")
  )
    throw errors.badRequest("You may not set topics_policy");
  return checkHistory(creation);
}

function checkPrivacy(creation: Creation): void {
  const { inviteOnly } = creation.options;
  const permission = inviteOnly ? "canCreatePrivateChannelGroup" : "canCreatePublicChannelGroup";
  if (!holds(creation, permission))
    throw errors.badRequest(`You may not create ${inviteOnly ? "private" : "public"} channels`);
}

function checkWebPublic(creation: Creation): void {
  const { realm, options } = creation;
  if (!options.isWebPublic) return;
  if (!realm.enableSpectatorAccess)
    throw errors.badRequest("The organization has no web-public channels");
  if (!holds(creation, "canCreateWebPublicChannelGroup"))
    throw errors.badRequest("You may not create web-public channels");
  if (options.inviteOnly) throw errors.badRequest("A web-public channel cannot be private");
}

/** A history that later subscribers do not see cannot have topics that only some may begin. */
function checkHistory({ systemGroups, options, groups }: Creation): boolean {
  if (!options.inviteOnly) return true;
  const isPublic = options.historyPublicToSubscribers ?? false;
  if (!isPublic && groups.canCreateTopicGroup !== systemGroups["role:everyone"])
    throw errors.badRequest(
      "A channel with protected history needs can_create_topic_group to be role:everyone",
      { parameters: "history_public_to_subscribers, can_create_topic_group" },
    );
  return isPublic;
}

function holds({ creator, memberships, realm }: Creation, permission: RealmPermission): boolean {
  return memberships.holds(creator, realmPermissions[permission], realm.groups[permission]);
}
