import { type SystemGroupIds, isOrganizationAdministrator } from "@carillon/model";
import { errors } from "@carillon/contract";

import type { Holder } from "../rights/holder.ts";
import {
  checkMayHave,
  checkMayHaveWebPublic,
  checkTopicsOfProtectedHistory,
} from "../rights/privacy-rights.ts";
import { checkMaySetRetention, checkMaySetTopicsPolicy } from "../rights/property-rights.ts";
import type { ChannelGroupValues } from "./creation-groups.ts";
import type { CreationOptions } from "./creation-options.ts";

interface Creation extends Holder {
  readonly systemGroups: SystemGroupIds;
  readonly options: CreationOptions;
  readonly groups: ChannelGroupValues;
}

/**
 * Whether the actor may have such a new channel (channels.md §4, steps 6 to 11, in that order).
 * @returns whether its history is to be for all subscribers, later ones too
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export function checkCreationRights(creation: Creation): boolean {
  const { actor, options } = creation;
  checkMayHave(creation, options.inviteOnly ? "private" : "public");
  if (options.isDefault) {
    if (!isOrganizationAdministrator(actor))
      throw errors.badRequest("Only administrators may make a channel a default one");
    if (options.inviteOnly) throw errors.badRequest("A default channel cannot be private");
  }
  if (options.isWebPublic) {
    checkMayHaveWebPublic(creation);
    if (options.inviteOnly) throw errors.badRequest("A web-public channel cannot be private");
  }
  if (options.messageRetentionDays !== "realm_default") checkMaySetRetention(actor);
  if (options.topicsPolicy !== "inherit") checkMaySetTopicsPolicy(creation);
  if (!options.inviteOnly) return true;
  const isPublic = options.historyPublicToSubscribers ?? false;
  if (!isPublic)
    checkTopicsOfProtectedHistory(
      creation.groups.canCreateTopicGroup,
      creation.systemGroups["role:everyone"],
    );
  return isPublic;
}
