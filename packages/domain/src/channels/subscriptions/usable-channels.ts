import {
  type Account,
  type Channel,
  type Memberships,
  hasContentAccess,
  loadChannelsByName,
  loadSubscribedChannels,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

/** Channels that somebody names to be subscribed to. */
export interface UsableChannels {
  /** Those that the actor may use, each once. */
  readonly open: Channel[];
  /** The names of those that exist, and that the actor may not use. */
  readonly unauthorized: string[];
}

/**
 * The channels of these names, as they are now; names of channels that do not exist are in neither list.
 * @param fatal whether one that the actor may not use refuses the whole request
 * @throws ApiError `BAD_REQUEST`
 */
export async function loadUsable(
  tx: Tx,
  actor: Account,
  memberships: Memberships,
  names: readonly string[],
  fatal: boolean,
): Promise<UsableChannels> {
  const [found, subscribed] = await Promise.all([
    loadChannelsByName(tx, actor.realmId, names),
    loadSubscribedChannels(tx, [actor.id]),
  ]);
  const usable = (channel: Channel) =>
    !channel.isArchived &&
    hasContentAccess(actor, channel, memberships, subscribed(actor.id, channel.id));
  const unauthorized = names.filter((name) => {
    const channel = found.get(name);
    return channel !== undefined && !usable(channel);
  });
  if (unauthorized.length > 0 && fatal)
    throw errors.badRequest(`You cannot subscribe to ${unauthorized.join(", ")}`);
  const open = [...found.values()].filter(usable);
  return { open: [...new Map(open.map((each) => [each.id, each])).values()], unauthorized };
}
