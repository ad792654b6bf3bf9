import { errors, namedOrganizationSettings, type NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { notice, paragraph, silentUser } from "@carillon/markdown";
import {
  type Account,
  type Channel,
  defaultChannelsEvent,
  isPublic,
  loadChannelPresenter,
  loadInheritedNotifications,
  loadMetadataAudiences,
  loadOrganizationSettings,
  loadSubscriptions,
  type PublicFacts,
  type Realm,
  realmUpdatedEvents,
  recordAudit,
  storeOrganizationSettings,
} from "@carillon/model";

import { channelPropertyEvent, channelUnarchivedEvent } from "../channel-events/channel-events.ts";
import { peersShownEvent } from "../channel-events/peer-events.ts";
import { subscribedEvent } from "../channel-events/subscription-events.ts";
import { postChannelNotices } from "../notices/post-channel-notice.ts";
import { storeDefaultChannel } from "./default-channels.ts";
import { openChannel } from "./open-channel.ts";

/**
 * Archives a channel (channels.md §8): its name, messages, subscriptions, folder and permissions stay, and sending to
 * it is rejected. The audience lock orders the archiving after concurrent sends or before them; scheduled messages fail
 * when they are due. The group graph and the organization's row are locked, because new members are no longer
 * subscribed to the channel and announcements no longer go to it.
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL`, `BAD_REQUEST`; nothing has changed then
 */
export async function archiveChannel(tx: Tx, account: Account, channelId: number): Promise<void> {
  const { actor, realm, channel } = await openChannel(tx, account, channelId, "exclusive", {
    organization: true,
  });
  if (channel.isArchived) throw errors.badRequest("The channel is archived already");
  const notices = await postChannelNotices(tx, realm, actor, [
    { channelId, notice: notice(paragraph`${silentUser(actor)} archived this channel.`) },
  ]);
  const audiences = await loadMetadataAudiences(tx, realm.id, [channelId]);
  const audience = [...(audiences.get(channelId) ?? [])];
  const prisma = await tx.prisma();
  await prisma.channel.update({
    where: { id: channelId },
    data: { isArchived: true },
    select: { id: true },
  });
  const wasDefault = await storeDefaultChannel(tx, channelId, false);
  recordAudit(tx, realm.id, actor.id, [
    { type: "channel_archived", data: { channel_id: channelId } },
  ]);
  emit(tx, realm.id, [
    // Other events of the channel come before its archiving, because some clients drop the channel then.
    ...notices,
    ...(wasDefault ? [await defaultChannelsEvent(tx, realm.id)] : []),
    ...(await clearAnnouncements(tx, realm, channelId)),
    channelPropertyEvent(channel, "is_archived", true, audience),
  ]);
}

/** Sets the organization's settings that name this channel to none, and returns the event for all users. */
async function clearAnnouncements(tx: Tx, realm: Realm, channelId: number): Promise<NewEvent[]> {
  const settings = await loadOrganizationSettings(tx, realm.id);
  const cleared = Object.fromEntries(
    namedOrganizationSettings
      .filter(([name, { names }]) => names === "channel" && settings[name] === channelId)
      .map(([name]) => [name, -1]),
  );
  if (Object.keys(cleared).length === 0) return [];
  await storeOrganizationSettings(tx, realm.id, cleared);
  return realmUpdatedEvents(cleared);
}

/**
 * Checks that a channel can be unarchived: a private channel without active subscribers would have no readers
 * (channels.md §8).
 * @throws ApiError `BAD_REQUEST`
 */
export function assertCanUnarchive(
  channel: PublicFacts & Pick<Channel, "isArchived" | "subscriberCount">,
): void {
  if (!channel.isArchived) throw errors.badRequest("The channel is not archived");
  if (!isPublic(channel) && channel.subscriberCount === 0)
    throw errors.badRequest("A private channel without subscribers stays archived");
}

/**
 * Unarchives a channel (channels.md §8). Its own properties are as before, including a permission whose group was
 * deactivated meanwhile. It is no longer a default channel, and no setting of the organization names it. The
 * transaction must have locked the group graph and the channel (`openChannel`), and have read the channel after that.
 * @returns the events, for the transaction's single `emit`
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function unarchiveChannel(
  tx: Tx,
  realm: Realm,
  actor: Account,
  channel: Channel,
): Promise<readonly NewEvent[]> {
  assertCanUnarchive(channel);
  const prisma = await tx.prisma();
  await prisma.channel.update({
    where: { id: channel.id },
    data: { isArchived: false },
    select: { id: true },
  });
  recordAudit(tx, realm.id, actor.id, [
    { type: "channel_unarchived", data: { channel_id: channel.id } },
  ]);
  const returned = await returnEvents(tx, { ...channel, isArchived: false });
  const notices = await postChannelNotices(tx, realm, actor, [
    {
      channelId: channel.id,
      notice: notice(paragraph`${silentUser(actor)} brought this channel back from the archive.`),
    },
  ]);
  return [...returned, ...notices];
}

/**
 * Makes the events of the unarchiving. Clients without the capability `archived_channels` have dropped the channel, so
 * they receive it as a new one, with their subscription or with the list of its subscribers.
 */
async function returnEvents(tx: Tx, channel: Channel): Promise<NewEvent[]> {
  const { id, realmId } = channel;
  const [presenter, audiences, subscriptions] = await Promise.all([
    loadChannelPresenter(tx, realmId, [channel]),
    loadMetadataAudiences(tx, realmId, [id]),
    loadSubscriptions(tx, id),
  ]);
  const subscribers = subscriptions.map(({ userId }) => userId);
  const inheritedOf = await loadInheritedNotifications(tx, realmId, subscribers);
  const audience = [...(audiences.get(id) ?? [])];
  const among = new Set(subscribers);
  const others = audience.filter((userId) => !among.has(userId));
  const withSubscribers = { ...presenter.present(channel), subscribers };
  const peers = { stream_ids: [id], user_ids: subscribers };
  const marks = { for_clients_without: "archived_channels" } as const;
  return [
    channelUnarchivedEvent(presenter.present({ ...channel, subscriberCount: 0 }), audience),
    ...subscribedEvent(subscriptions, new Map([[id, withSubscribers]]), inheritedOf, marks),
    ...(subscribers.length > 0 && others.length > 0 ? [peersShownEvent(peers, others, marks)] : []),
  ];
}
