import {
  type Account,
  type OutgoingMessage,
  type Realm,
  loadPostingChannels,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import type { Notice } from "@carillon/markdown";

import { composeNotice } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";

/** Topic of the notices about a channel (channels.md §9). */
const noticeTopic = "channel events";

/** A notice for one channel; equal notices for several channels are one object. */
export interface ChannelNotice {
  readonly channelId: number;
  readonly notice: Notice;
}

/**
 * Posts the notification bot's notices about channels, in the order given (channels.md §9): unread for the subscribers,
 * read for the actor. Works in archived channels too. Posts nothing if the organization turns such notices off. The
 * number of statements does not depend on the number of channels. The transaction must have created the channels, or
 * hold their audience locks (`lockChannels`).
 * @returns the events, for the transaction's single `emit`
 */
export async function postChannelNotices(
  tx: Tx,
  realm: Realm,
  actor: Account,
  notices: readonly ChannelNotice[],
): Promise<readonly NewEvent[]> {
  if (!realm.sendChannelEventsMessages || notices.length === 0) return [];
  const ids = [...new Set(notices.map(({ channelId }) => channelId))];
  const channels = await loadPostingChannels(tx, realm.id, ids, []);
  const bot = await systemBot(tx, realm.id, "notification");
  const composed = new Map<Notice, OutgoingMessage>();
  const messages: OutgoingMessage[] = [];
  for (const { channelId, notice } of notices) {
    const channel = channels.get(channelId);
    if (!channel) throw new Error(`there is no channel ${channelId} in this organization`);
    const place = {
      target: { kind: "channel", channel },
      topic: channel.topicsPolicy === "empty_topic_only" ? "" : noticeTopic,
    } as const;
    const message =
      composed.get(notice) ??
      (await composeNotice(tx, { bot, notice, readBy: [actor.id], ...place }));
    composed.set(notice, message);
    messages.push({ ...message, ...place });
  }
  return (await sendMessages(tx, realm, messages)).events;
}
