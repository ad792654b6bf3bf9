import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { loadPostingChannels } from "../messages/channel-facts.ts";
import { composeNotice, silentMention, systemBot } from "../messages/notice.ts";
import { sendMessages } from "../messages/send.ts";
import type { Realm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import type { Account } from "../users/account.ts";
import type { Channel } from "./channel.ts";

/** Where the server tells of changes to a channel (channels.md §9). */
const noticeTopic = "channel events";

/**
 * The first message of each new channel, by the notification bot: unread for the subscribers, read for the creator.
 * Nothing where the organization does not want such notices.
 */
export async function postCreationNotices(
  tx: Tx,
  site: Site,
  realm: Realm,
  creator: Account,
  channels: readonly Channel[],
): Promise<readonly NewEvent[]> {
  if (!realm.sendChannelEventsMessages || channels.length === 0) return [];
  const bot = await systemBot(tx, realm.id, "notification");
  const ids = channels.map(({ id }) => id);
  const targets = await loadPostingChannels(tx, realm.id, ids, []);
  const notices = [];
  for (const channel of channels) {
    const target = targets.get(channel.id);
    if (!target) continue;
    notices.push(
      await composeNotice(tx, realm, site, {
        bot,
        target: { kind: "channel", channel: target },
        topic: channel.topicsPolicy === "empty_topic_only" ? "" : noticeTopic,
        content: `${silentMention(creator)} created this ${kindOf(channel)} channel.`,
        readBy: [creator.id],
      }),
    );
  }
  return (await sendMessages(tx, realm, notices)).events;
}

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}
