import {
  type Account,
  type Channel,
  type PublicFacts,
  type Realm,
  isPublic,
  loadChannelPresenter,
  loadInheritedNotifications,
  loadMetadataAudiences,
  loadSubscriptions,
  recordAudit,
} from "@carillon/model";
import { errors, type NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { notice, paragraph, silentUser } from "@carillon/markdown";

import { channelReturnedEvent } from "../events/channel-events.ts";
import { peersShownEvent } from "../events/peer-events.ts";
import { subscribedEvent } from "../events/subscribed-event.ts";
import { postChannelNotices } from "../notices/post-channel-notice.ts";

/**
 * Whether a channel can come back from the archive: of a private one without subscribers nobody could read anything
 * (channels.md §8). Those who are deactivated do not count.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayReturn(
  channel: PublicFacts & Pick<Channel, "isArchived" | "subscriberCount">,
): void {
  if (!channel.isArchived) throw errors.badRequest("The channel is not archived");
  if (!isPublic(channel) && channel.subscriberCount === 0)
    throw errors.badRequest("A private channel without subscribers stays archived");
}

const unarchive = statement({
  name: "channel-unarchive",
  text: "UPDATE channels SET is_archived = false WHERE id = $1",
  row: {},
});

/**
 * Brings a channel back from the archive (channels.md §8), as it was but for the default channels: a group that was
 * deactivated meanwhile stays what a permission is set to. The transaction holds the group graph and has locked the
 * channel (`openChannel`), and has read it since.
 * @returns the events, for the transaction's one `emit`
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function unarchiveChannel(
  tx: Tx,
  realm: Realm,
  actor: Account,
  channel: Channel,
): Promise<readonly NewEvent[]> {
  checkMayReturn(channel);
  await tx.rows(unarchive, [channel.id]);
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
 * What is told of the return. Clients that do not know archived channels have lost this one: they get it anew, with
 * their subscription to it, or with who is subscribed.
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
    channelReturnedEvent(presenter.present({ ...channel, subscriberCount: 0 }), audience),
    ...subscribedEvent(subscriptions, new Map([[id, withSubscribers]]), inheritedOf, marks),
    ...(subscribers.length > 0 && others.length > 0 ? [peersShownEvent(peers, others, marks)] : []),
  ];
}
