import {
  type Account,
  type Realm,
  defaultChannelsEvent,
  loadMetadataAudiences,
  realmUpdatedEvents,
  recordAudit,
} from "@carillon/model";
import { errors, type NewEvent } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { notice, paragraph, silentUser } from "@carillon/markdown";

import { channelPropertyEvent } from "../events/channel-events.ts";
import { postChannelNotices } from "../notices/post-channel-notice.ts";
import { openChannel } from "../rights/open-channel.ts";

const archive = statement({
  name: "channel-archive",
  text: `WITH archived AS (
      UPDATE channels SET is_archived = true WHERE id = $1
    ), unlisted AS (
      DELETE FROM default_channels WHERE channel_id = $1 RETURNING channel_id
    )
    SELECT EXISTS (SELECT FROM unlisted) AS "wasDefault"`,
  row: { wasDefault: column.bool },
});

/**
 * Archives a channel (channels.md §8): its name, messages, subscriptions, folder and permissions stay, and nothing is
 * sent to it any more. A sender holds the channel's audience, and so comes before it or is refused; what is
 * scheduled fails when it is due. New members are not subscribed to it, and nothing is announced in it, which the group
 * graph and the organization's row are locked for.
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL`, `BAD_REQUEST`; nothing has changed then
 */
export async function archiveChannel(tx: Tx, account: Account, channelId: number): Promise<void> {
  const { actor, realm, channel } = await openChannel(tx, account, channelId, "alone", {
    organization: true,
  });
  if (channel.isArchived) throw errors.badRequest("The channel is archived already");
  const notices = await postChannelNotices(tx, realm, actor, [
    { channelId, notice: notice(paragraph`${silentUser(actor)} archived this channel.`) },
  ]);
  const audiences = await loadMetadataAudiences(tx, realm.id, [channelId]);
  const audience = [...(audiences.get(channelId) ?? [])];
  const [stored] = await tx.rows(archive, [channelId]);
  recordAudit(tx, realm.id, actor.id, [
    { type: "channel_archived", data: { channel_id: channelId } },
  ]);
  emit(tx, realm.id, [
    // What is told of the channel comes before its end: some clients do not have it afterwards.
    ...notices,
    ...(stored?.wasDefault ? [await defaultChannelsEvent(tx, realm.id)] : []),
    ...(await clearAnnouncements(tx, realm, channelId)),
    channelPropertyEvent(channel, "is_archived", true, audience),
  ]);
}

const clear = statement({
  name: "realm-announcements-clear",
  text: "UPDATE realms SET new_stream_announcements_channel_id = NULL WHERE id = $1",
  row: {},
});

/** Lets the organization announce nothing in the channel any more, and tells everybody where it did. */
async function clearAnnouncements(tx: Tx, realm: Realm, channelId: number): Promise<NewEvent[]> {
  if (realm.newStreamAnnouncementsChannelId !== channelId) return [];
  await tx.rows(clear, [realm.id]);
  return realmUpdatedEvents({ new_stream_announcements_stream_id: -1 });
}
