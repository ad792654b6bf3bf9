import {
  type Account,
  type Channel,
  type OutgoingMessage,
  type Realm,
  loadPostingChannels,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import { notice, paragraph, silentUser, told } from "@carillon/markdown";

import { composeNotice, systemBot } from "../../messages/send/notice.ts";
import { sendMessages } from "../../messages/send/send.ts";

/** Where the server tells of changes to a channel (channels.md §9). */
const noticeTopic = "channel events";

/**
 * The first message of each new channel, by the notification bot: unread for the subscribers, read for the creator.
 * Nothing where the organization does not want such notices.
 */
export async function postCreationNotices(
  tx: Tx,
  realm: Realm,
  creator: Account,
  channels: readonly Channel[],
): Promise<readonly NewEvent[]> {
  if (!realm.sendChannelEventsMessages || channels.length === 0) return [];
  const bot = await systemBot(tx, realm.id, "notification");
  const ids = channels.map(({ id }) => id);
  const targets = await loadPostingChannels(tx, realm.id, ids, []);
  const kinds = new Map<string, Channel[]>();
  for (const channel of channels) {
    const kind = kindOf(channel);
    kinds.set(kind, [...(kinds.get(kind) ?? []), channel]);
  }
  const notices: OutgoingMessage[] = [];
  for (const [kind, alike] of kinds) {
    const copies = alike.flatMap((channel): Addressed[] => {
      const target = targets.get(channel.id);
      if (!target) return [];
      const topic = channel.topicsPolicy === "empty_topic_only" ? "" : noticeTopic;
      return [{ target: { kind: "channel", channel: target }, topic }];
    });
    const [first] = copies;
    if (!first) continue;
    const said = notice(paragraph`${silentUser(creator)} created this ${told(kind)} channel.`);
    // Channels of one kind are told of in the same words.
    const composed = await composeNotice(tx, {
      bot,
      notice: said,
      readBy: [creator.id],
      ...first,
    });
    notices.push(...copies.map((copy) => ({ ...composed, ...copy })));
  }
  return (await sendMessages(tx, realm, notices)).events;
}

type Addressed = Pick<OutgoingMessage, "target" | "topic">;

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}
