import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { loadPostingChannels } from "../messages/channel-facts.ts";
import { composeNotice, silentMention, systemBot } from "../messages/notice.ts";
import type { OutgoingMessage } from "../messages/outgoing.ts";
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
  const texts = new Map<string, Channel[]>();
  for (const channel of channels) {
    const content = `${silentMention(creator)} created this ${kindOf(channel)} channel.`;
    texts.set(content, [...(texts.get(content) ?? []), channel]);
  }
  const notices: OutgoingMessage[] = [];
  for (const [content, alike] of texts) {
    const copies = alike.flatMap((channel): Addressed[] => {
      const target = targets.get(channel.id);
      if (!target) return [];
      const topic = channel.topicsPolicy === "empty_topic_only" ? "" : noticeTopic;
      return [{ target: { kind: "channel", channel: target }, topic }];
    });
    const [first] = copies;
    if (!first) continue;
    // Looked up and rendered once: channels of one kind are told of in the same words.
    const notice = { bot, content, readBy: [creator.id], ...first };
    const composed = await composeNotice(tx, realm, site, notice);
    notices.push(...copies.map((copy) => ({ ...composed, ...copy })));
  }
  return (await sendMessages(tx, realm, notices)).events;
}

type Addressed = Pick<OutgoingMessage, "target" | "topic">;

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}
