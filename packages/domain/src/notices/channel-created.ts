import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { holdAudiences } from "../channels/audience-lock.ts";
import { loadPostingChannels } from "../messages/channel-facts.ts";
import { composeNotice, silentMention, systemBot } from "../messages/notice.ts";
import { sendMessages } from "../messages/send.ts";
import { loadRealm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import { loadAccounts } from "../users/account.ts";

const announcementTopic = "new channels";

/**
 * Announces a new channel in the organization's channel for that (channels.md §4). Says nothing when there is none
 * any more, when it is archived, or when the new channel has become private or archived meanwhile.
 */
export async function sendChannelCreatedNotice(
  tx: Tx,
  site: Site,
  realmId: number,
  notice: { actorId: number; channelId: number },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const announcementsId = realm.newStreamAnnouncementsChannelId;
  if (announcementsId === null) return;
  const ids = [announcementsId, notice.channelId];
  const [, channels] = await Promise.all([
    holdAudiences(tx, [announcementsId]),
    loadPostingChannels(tx, realmId, ids, []),
  ]);
  const announcements = channels.get(announcementsId);
  const created = channels.get(notice.channelId);
  const actor = (await loadAccounts(tx, realmId, [notice.actorId])).get(notice.actorId);
  if (!announcements || announcements.isArchived || !created || !actor) return;
  if (created.inviteOnly || created.isArchived) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, realm, site, {
      bot,
      target: { kind: "channel", channel: announcements },
      topic: announcements.topicsPolicy === "empty_topic_only" ? "" : announcementTopic,
      content: `${silentMention(actor)} created the channel #**${created.name}**.`,
    }),
  ]);
  emit(tx, realmId, events);
}
