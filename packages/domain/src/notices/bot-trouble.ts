import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { cutTo } from "@carillon/kit";

import { maxChannelNameLength } from "../channels/names.ts";
import { loadPostingChannels } from "../messages/channel-facts.ts";
import { composeNotice, directTo, silentMention, systemBot } from "../messages/notice.ts";
import { sendMessages } from "../messages/send.ts";
import { loadRealm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import { loadAccounts, type Account } from "../users/account.ts";

/** Where a bot wanted to post, and found nobody. */
export interface BotTrouble {
  /** The channel's name, or its id where no name is known. */
  readonly channel: string | number;
  readonly what: "missing" | "without subscribers";
}

/**
 * Tells a bot's owner that the bot posts where nobody listens (scheduled-messages.md §6), at most once in five
 * minutes. It wants a transaction of its own: the bot's own message may have been refused.
 */
export async function tellBotOwner(
  tx: Tx,
  site: Site,
  bot: Account,
  { channel, what }: BotTrouble,
): Promise<void> {
  if (!bot.isBot || bot.botOwnerId === null) return;
  const due = await tx.first(
    `UPDATE users SET owner_told_at = now() WHERE id = $1
       AND (owner_told_at IS NULL OR owner_told_at < now() - interval '5 minutes') RETURNING id`,
    [bot.id],
  );
  const owner = (await loadAccounts(tx, bot.realmId, [bot.botOwnerId])).get(bot.botOwnerId);
  if (!due || !owner?.isActive) return;
  const realm = await loadRealm(tx, bot.realmId);
  const notifier = await systemBot(tx, realm.id, "notification");
  const name =
    typeof channel === "number"
      ? `with the ID ${channel}`
      : `**${cutTo(channel, maxChannelNameLength, "…")}**`;
  const trouble = what === "missing" ? "which does not exist" : "which nobody is subscribed to";
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, realm, site, {
      bot: notifier,
      target: directTo(notifier, owner),
      content: `Your bot ${silentMention(bot)} sent a message to the channel ${name}, ${trouble}.`,
    }),
  ]);
  emit(tx, realm.id, events);
}

/**
 * Tells the owner of a bot that has sent to a channel without subscribers. Says nothing when the bot or the channel is
 * gone meanwhile.
 */
export async function sendUnheardNotice(
  tx: Tx,
  site: Site,
  realmId: number,
  notice: { readonly botId: number; readonly channelId: number },
): Promise<void> {
  const bot = (await loadAccounts(tx, realmId, [notice.botId])).get(notice.botId);
  const channel = (await loadPostingChannels(tx, realmId, [notice.channelId], [])).get(
    notice.channelId,
  );
  if (!bot || !channel) return;
  await tellBotOwner(tx, site, bot, { channel: channel.name, what: "without subscribers" });
}
