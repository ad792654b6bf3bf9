import {
  holdAudiences,
  isPublic,
  loadAccounts,
  loadPostingChannels,
  loadRealm,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { channelLink, notice, paragraph, silentUser } from "@carillon/markdown";

import { composeNotice, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

const announcementTopic = "new channels";

/**
 * Announces a new channel in the organization's channel for that (channels.md §4). Says nothing when there is none
 * any more, when it is archived, or when the new channel has become private or archived meanwhile.
 */
export async function sendChannelCreatedNotice(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; channelId: number },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const announcementsId = realm.newStreamAnnouncementsChannelId;
  if (announcementsId === null) return;
  const ids = [announcementsId, wanted.channelId];
  const [, channels] = await Promise.all([
    // A change that makes the new channel private comes before, or after: then it was public when it was announced.
    holdAudiences(tx, ids),
    loadPostingChannels(tx, realmId, ids, []),
  ]);
  const announcements = channels.get(announcementsId);
  const created = channels.get(wanted.channelId);
  const actor = (await loadAccounts(tx, realmId, [wanted.actorId])).get(wanted.actorId);
  if (!announcements || announcements.isArchived || !created || !actor) return;
  if (!isPublic(created) || created.isArchived) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot,
      target: { kind: "channel", channel: announcements },
      topic: announcements.topicsPolicy === "empty_topic_only" ? "" : announcementTopic,
      notice: notice(paragraph`${silentUser(actor)} created the channel ${channelLink(created)}.`),
    }),
  ]);
  emit(tx, realmId, events);
}
