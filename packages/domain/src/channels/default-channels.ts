import { errors, type NewEvent } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  currentActor,
  defaultChannelsEvent,
  isOrganizationAdministrator,
  isPublic,
  loadMetadataAudiences,
  lockChannels,
  lockGroupGraph,
  noSuchChannel,
  type Realm,
  recordAudit,
  subscribe,
  loadAfter,
} from "@carillon/model";

import { peerEvents } from "../channel-events/peer-events.ts";
import { openChannel } from "./open-channel.ts";

/**
 * Adds a channel to the default channels of new members, or removes it (channels.md §8). Without a change, writes no
 * audit entry and sends no event.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function changeDefaultChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  isDefault: boolean,
): Promise<void> {
  checkIsAdministrator(account);
  const { now } = await loadAfter(lockGroupGraph(tx, account.realmId), {
    now: currentActor(tx, account),
  });
  checkIsAdministrator(now);
  const { actor, realm, channel } = await openChannel(tx, account, channelId, "exclusive");
  if (channel.isArchived) throw noSuchChannel(channelId);
  if (!isPublic(channel)) throw errors.badRequest("A default channel cannot be private");
  if (!(await storeDefaultChannel(tx, channelId, isDefault))) return;
  recordAudit(tx, realm.id, actor.id, [
    {
      type: isDefault ? "default_channel_added" : "default_channel_removed",
      data: { channel_id: channelId },
    },
  ]);
  emit(tx, realm.id, [await defaultChannelsEvent(tx, realm.id)]);
}

/** Called before taking locks, and again with the locks, which keep roles from changing. */
function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators can change the default channels");
}

const isListed = statement({
  name: "is-default-channel",
  text: "SELECT EXISTS (SELECT FROM default_channels WHERE channel_id = $1) AS is",
});

/** Whether new members are subscribed to the channel. */
export async function isDefaultChannel(sql: Sql, channelId: number): Promise<boolean> {
  const [row] = await sql.rows(isListed, [channelId]);
  return row?.is ?? false;
}

/**
 * Adds the channel to the default channels, or removes it. The transaction must hold the exclusive lock of the group graph,
 * because the event contains the whole list and new accounts are subscribed to all of it.
 * @returns whether the list has changed
 */
export async function storeDefaultChannel(
  tx: Tx,
  channelId: number,
  isDefault: boolean,
): Promise<boolean> {
  const { defaultChannel } = await tx.prisma();
  const { count } = isDefault
    ? await defaultChannel.createMany({ data: { channelId }, skipDuplicates: true })
    : await defaultChannel.deleteMany({ where: { channelId } });
  return count > 0;
}

const channelsOfNewcomer = statement({
  name: "channels-of-newcomer",
  text: `SELECT c.id AS "channelId" FROM channels c
    WHERE c.realm_id = $1 AND NOT c.is_archived
      AND (c.id = ANY($2::int[]) OR $3 AND EXISTS (SELECT FROM default_channels d WHERE d.channel_id = c.id))
    ORDER BY lower(c.name)`,
});

/**
 * Subscribes a new account to channels, and to the organization's default channels if wanted; not to archived ones. The
 * account has no event queue yet, so events are made only for other accounts.
 */
export async function subscribeNewcomer(
  tx: Tx,
  realm: Realm,
  account: Account,
  wanted: { readonly channelIds: readonly number[]; readonly includeDefaults: boolean },
): Promise<NewEvent[]> {
  const { channelIds, includeDefaults } = wanted;
  if (channelIds.length === 0 && !includeDefaults) return [];
  const channels = await tx.rows(channelsOfNewcomer, [realm.id, channelIds, includeDefaults]);
  const ids = channels.map(({ channelId }) => channelId);
  await lockChannels(tx, ids);
  const added = await subscribe(tx, channels, [account.id]);
  const audiences = await loadMetadataAudiences(tx, realm.id, ids);
  return peerEvents("peer_add", added, audiences);
}
