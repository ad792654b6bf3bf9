import {
  type Account,
  type Channel,
  type Memberships,
  type Realm,
  hasContentAccess,
  mayAdminister,
} from "@carillon/model";
import { channelPermissions, errors, realmPermissions } from "@carillon/contract";

/** Channels that somebody names to be subscribed to. */
export interface UsableChannels {
  /** Those that the actor may use, each once. */
  readonly usable: Channel[];
  /** The names of the others. */
  readonly unauthorized: string[];
}

/**
 * Which of the channels the actor may subscribe anybody to: those that are not archived, and whose messages the actor
 * may read.
 * @param named by the names that were asked for; one channel may be there twice
 * @param fatal whether one that the actor may not use refuses the whole request
 * @throws ApiError `BAD_REQUEST`
 */
export function sortUsable(
  actor: Account,
  named: ReadonlyMap<string, Channel>,
  memberships: Memberships,
  isSubscribed: (channelId: number) => boolean,
  fatal: boolean,
): UsableChannels {
  const usable = new Map<number, Channel>();
  const unauthorized: string[] = [];
  for (const [name, channel] of named)
    if (
      !channel.isArchived &&
      hasContentAccess(actor, channel, memberships, isSubscribed(channel.id))
    )
      usable.set(channel.id, channel);
    else unauthorized.push(name);
  if (unauthorized.length > 0 && fatal)
    throw errors.badRequest(`You cannot subscribe to ${unauthorized.join(", ")}`);
  return { usable: [...usable.values()], unauthorized };
}

/**
 * An actor who adds others needs a permission for that besides; being subscribed is not one, nor needed.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayAddOthers(
  realm: Realm,
  actor: Account,
  channel: Channel,
  memberships: Memberships,
): void {
  const organization = realmPermissions.canAddSubscribersGroup;
  const own = channelPermissions.canAddSubscribersGroup;
  const allowed =
    memberships.holds(actor, organization, realm.groups.canAddSubscribersGroup) ||
    mayAdminister(actor, channel, memberships) ||
    memberships.holds(actor, own, channel.canAddSubscribersGroupId);
  if (!allowed) throw errors.badRequest(`You may not subscribe others to ${channel.name}`);
}
