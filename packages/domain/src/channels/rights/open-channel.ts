import {
  type Account,
  type Channel,
  currentActor,
  hasContentAccess,
  holdGroupGraph,
  loadChannels,
  loadMemberships,
  loadRealm,
  loadSubscribedChannels,
  lockChannels,
  lockGroupGraph,
  mayAdminister,
  noSuchChannel,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { Holder } from "./holder.ts";

/** A channel that somebody administers, in the hands of the transaction, with what tells what else they may. */
export interface OpenChannel extends Holder {
  readonly channel: Channel;
  /** Whether the actor may read its messages, which some changes ask for besides. */
  readonly isReadable: boolean;
}

/**
 * Takes the locks that a change of the channel needs, archived ones too, then reads everything that decides: whoever
 * comes second sees what the first has done (docs/decisions/012). Nobody sends to the channel or is subscribed
 * meanwhile.
 * @param graph whether others may hold the group graph, too; alone it is needed where permissions, names or default
 *   channels change, which those go by who only hold it
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL` to who may read the channel but not administer it; `BAD_REQUEST` to
 *   others, for whom it does not exist (channels.md §5.2)
 */
export async function openChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  graph: "alone" | "shared",
): Promise<OpenChannel> {
  const { id, realmId } = account;
  const known = await loadChannels(tx, realmId, [channelId]);
  // Another organization's channel is not locked.
  if (known.size === 0) throw noSuchChannel(channelId);
  const [, , actor, realm, found, memberships, subscribed] = await Promise.all([
    graph === "alone" ? lockGroupGraph(tx, realmId) : holdGroupGraph(tx, realmId),
    lockChannels(tx, [channelId]),
    currentActor(tx, account),
    loadRealm(tx, realmId),
    loadChannels(tx, realmId, [channelId]),
    loadMemberships(tx, [id]),
    loadSubscribedChannels(tx, [id]),
  ]);
  const channel = found.get(channelId);
  if (!channel) throw noSuchChannel(channelId);
  const isReadable = hasContentAccess(actor, channel, memberships, subscribed(id, channelId));
  if (!mayAdminister(actor, channel, memberships))
    throw isReadable ? errors.cannotAdministerChannel() : noSuchChannel(channelId);
  return { actor, realm, channel, memberships, isReadable };
}
