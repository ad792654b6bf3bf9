import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";
import { emptyLookups, parseMessage, renderMessage } from "@carillon/markdown";

import { loadPostingChannels } from "../messages/channel-facts.ts";
import { flag } from "../messages/flags.ts";
import { composeNotice, systemBot } from "../messages/notice.ts";
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
  const mentionable = {
    id: creator.id,
    fullName: creator.fullName,
    isActive: true,
  };
  const outgoing = [];
  for (const channel of channels) {
    const target = targets.get(channel.id);
    if (!target) continue;
    const content = `@_**${creator.fullName}|${creator.id}** created this ${kindOf(channel)} channel.`;
    const notice = await composeNotice(tx, realm, site, {
      bot,
      target: { kind: "channel", channel: target },
      topic: channel.topicsPolicy === "empty_topic_only" ? "" : noticeTopic,
      content,
    });
    const lookups = {
      ...emptyLookups,
      organizationUrl: site.url,
      usersById: new Map([[creator.id, mentionable]]),
    };
    outgoing.push({ ...notice, rendered: renderMessage(parseMessage(content), lookups) });
  }
  const { sent, events } = await sendMessages(tx, realm, outgoing);
  const messageIds = sent.flatMap((message) => (message ? [message.id] : []));
  return readBy(tx, creator, messageIds, events);
}

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}

/** The creator knows already. */
async function readBy(
  tx: Tx,
  creator: Account,
  messageIds: readonly number[],
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const count = await tx.count(
    `UPDATE user_messages SET flags = flags | $3 WHERE user_id = $1 AND message_id = ANY($2::bigint[])`,
    [creator.id, messageIds, flag.read],
  );
  if (count === 0) return events;
  return events.map((event) =>
    event.type === "message"
      ? { ...event, userData: { ...event.userData, [creator.id]: { flags: ["read"] } } }
      : event,
  );
}
