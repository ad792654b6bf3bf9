import {
  type Account,
  type OutgoingMessage,
  type Realm,
  loadPostingChannels,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import type { Notice } from "@carillon/markdown";

import { composeNotice, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

/** Where the server tells of changes to a channel (channels.md §9). */
const noticeTopic = "channel events";

/** What is said in one channel. Where the same is said in many, they share the notice. */
export interface ChannelNotice {
  readonly channelId: number;
  readonly notice: Notice;
}

/**
 * Posts in channels, archived ones too, what the notification bot says of a change to them (channels.md §9), in the
 * order given: unread for the subscribers, read for who has made the change. Where it goes is asked of the channels as
 * they are by now. Nothing where the organization does not want such notices. The number of statements does not grow
 * with that of the channels. The transaction has made the channels, or holds their audiences (`lockChannels`).
 * @returns the events, for the transaction's one `emit`
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
    const alike =
      composed.get(notice) ??
      (await composeNotice(tx, { bot, notice, readBy: [actor.id], ...place }));
    composed.set(notice, alike);
    messages.push({ ...alike, ...place });
  }
  return (await sendMessages(tx, realm, messages)).events;
}
