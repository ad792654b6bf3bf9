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
  lockOrganization,
  mayAdminister,
  noSuchChannel,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { inOneStatement, type Sql, type Tx } from "@carillon/db";

import type { Holder } from "./holder.ts";

/** A channel that somebody administers, in the hands of the transaction, with what tells what else they may. */
export interface OpenChannel extends Holder {
  readonly channel: Channel;
  /** Whether the actor may read its messages, which some changes ask for besides. */
  readonly isReadable: boolean;
}

/**
 * Takes the locks that a change of the channel needs, archived ones too, then reads everything that decides: a request
 * that comes second sees what the first has done (docs/decisions/012). Nobody sends to the channel or is subscribed
 * meanwhile. Before that it is asked without a lock whether the account administers the channel: somebody who does not
 * waits for nobody and keeps nobody waiting, and learns nothing from how long it takes (channels.md §3).
 * @param graph whether others may hold the group graph, too; alone it is needed where permissions, names or default
 *   channels change, which those go by who only hold it
 * @param organization whether the organization's row is locked as well
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL` to who may read the channel but not administer it; `BAD_REQUEST` to
 *   others, for whom it does not exist (channels.md §5.2)
 */
export async function openChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  graph: "alone" | "shared",
  { organization = false } = {},
): Promise<OpenChannel> {
  const { realmId } = account;
  decide(account, channelId, await inOneStatement(tx, (one) => load(one, account, channelId)));
  const [, , , actor, realm, facts] = await Promise.all([
    graph === "alone" ? lockGroupGraph(tx, realmId) : holdGroupGraph(tx, realmId),
    organization ? lockOrganization(tx, realmId) : undefined,
    lockChannels(tx, [channelId]),
    currentActor(tx, account),
    loadRealm(tx, realmId),
    load(tx, account, channelId),
  ]);
  return { actor, realm, ...decide(actor, channelId, facts) };
}

function load(sql: Sql, { id, realmId }: Account, channelId: number) {
  return Promise.all([
    loadChannels(sql, realmId, [channelId]),
    loadMemberships(sql, [id]),
    loadSubscribedChannels(sql, [id]),
  ]);
}

function decide(
  actor: Account,
  channelId: number,
  [channels, memberships, subscribed]: Awaited<ReturnType<typeof load>>,
): Pick<OpenChannel, "channel" | "memberships" | "isReadable"> {
  const channel = channels.get(channelId);
  if (!channel) throw noSuchChannel(channelId);
  const isReadable = hasContentAccess(actor, channel, memberships, subscribed(actor.id, channelId));
  if (!mayAdminister(actor, channel, memberships))
    throw isReadable ? errors.cannotAdministerChannel() : noSuchChannel(channelId);
  return { channel, memberships, isReadable };
}
