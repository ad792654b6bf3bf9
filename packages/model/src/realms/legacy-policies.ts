import type { RealmPermission, SystemGroupName } from "@carillon/contract";

import type { Realm } from "./realm.ts";
import type { SystemGroupIds } from "../permissions/system-groups.ts";

type Numbers = Readonly<Partial<Record<SystemGroupName, number>>> & {
  readonly "role:administrators": number;
};

const channelCreation: Numbers = {
  "role:members": 1,
  "role:administrators": 2,
  "role:fullmembers": 3,
  "role:moderators": 4,
};

const webPublicCreation: Numbers = {
  "role:administrators": 2,
  "role:moderators": 4,
  "role:nobody": 6,
  "role:owners": 7,
};

const mentioningMany: Numbers = {
  "role:everyone": 1,
  "role:members": 2,
  "role:fullmembers": 3,
  "role:administrators": 5,
  "role:nobody": 6,
  "role:moderators": 7,
};

/**
 * The numbers by which older clients know who holds a permission of the organization (events.md §1.3), by the names of
 * `realm` events; the snapshot puts `realm_` in front. A group that has no number counts as the administrators: a
 * client then offers too little rather than what would be refused.
 */
export function legacyPolicies(
  realm: Pick<Realm, "groups">,
  groups: SystemGroupIds,
): Readonly<Record<string, number>> {
  const names = new Map(Object.entries(groups).map(([name, id]) => [id, name as SystemGroupName]));
  const policy = (permission: RealmPermission, numbers: Numbers): number => {
    const name = names.get(realm.groups[permission]);
    return (name && numbers[name]) ?? numbers["role:administrators"];
  };
  return {
    create_public_stream_policy: policy("canCreatePublicChannelGroup", channelCreation),
    create_private_stream_policy: policy("canCreatePrivateChannelGroup", channelCreation),
    create_web_public_stream_policy: policy("canCreateWebPublicChannelGroup", webPublicCreation),
    wildcard_mention_policy: policy("canMentionManyUsersGroup", mentioningMany),
  };
}
