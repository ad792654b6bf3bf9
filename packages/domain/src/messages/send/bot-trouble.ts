import {
  type Account,
  loadAccounts,
  loadPostingChannels,
  loadRealm,
  maxChannelNameLength,
} from "@carillon/model";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { cutTo } from "@carillon/kit";
import {
  emphasised,
  notice,
  type NoticePart,
  paragraph,
  silentUser,
  verbatim,
} from "@carillon/markdown";

import { composeNotice, directTo } from "./notice.ts";
import { systemBot } from "./system-bot.ts";
import { sendMessages } from "./send.ts";

/** What is wrong with a channel that a bot has sent a message to, or with a webhook that it received. */
export type BotTrouble =
  | {
      /** The channel's name, or its id if no name is known. */
      readonly channel: string | number;
      readonly what: "missing" | "without subscribers";
    }
  | {
      readonly what: "unreadable webhook";
      /** The name of the integration. */
      readonly integration: string;
      /** The reason in the answer to the request. It quotes names of the payload's fields, never their values. */
      readonly reason: string;
    };

const claim = statement({
  name: "bot-owner-notified",
  text: `UPDATE users SET owner_told_at = now() WHERE id = $1
    AND (owner_told_at IS NULL OR owner_told_at < now() - interval '5 minutes') RETURNING id`,
});

/** Maximum characters of the reason in a notice. */
const maxReason = 300;

/**
 * Notifies a bot's owner that the bot posts to a channel that is missing or has no subscribers (scheduled-messages.md §6),
 * or receives a webhook that it cannot read (bot-platform.md §1.2), at most once in five minutes. Needs its own
 * transaction, because the transaction of a rejected message is rolled back.
 */
export async function notifyBotOwner(tx: Tx, bot: Account, trouble: BotTrouble): Promise<void> {
  if (!bot.isBot || bot.botOwnerId === null) return;
  const [due] = await tx.lock({ name: "accounts", keys: [bot.id] }, claim, [bot.id]);
  const owner = (await loadAccounts(tx, bot.realmId, [bot.botOwnerId])).get(bot.botOwnerId);
  if (!due || !owner?.isActive) return;
  const realm = await loadRealm(tx, bot.realmId);
  const notifier = await systemBot(tx, realm.id, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot: notifier,
      target: directTo(notifier, owner),
      notice: notice(textAbout(bot, trouble)),
    }),
  ]);
  emit(tx, realm.id, events);
}

function textAbout(bot: Account, trouble: BotTrouble): NoticePart {
  const who = silentUser(bot);
  if (trouble.what === "unreadable webhook") {
    const reason = verbatim(cutTo(trouble.reason, maxReason, "…"));
    return paragraph`Your bot ${who} received a request for the integration ${emphasised(trouble.integration)} that could not be read. ${reason}`;
  }
  const { channel, what } = trouble;
  const name =
    typeof channel === "number"
      ? verbatim(`with the ID ${channel}`)
      : emphasised(cutTo(channel, maxChannelNameLength, "…"));
  return what === "missing"
    ? paragraph`Your bot ${who} sent a message to the channel ${name}, which does not exist.`
    : paragraph`Your bot ${who} sent a message to the channel ${name}, which has no subscribers.`;
}

/**
 * Notifies the owner of a bot that has sent to a channel without subscribers; does nothing when the bot or the channel was
 * deleted meanwhile.
 */
export async function sendNoSubscribersNotice(
  tx: Tx,
  realmId: number,
  wanted: { readonly botId: number; readonly channelId: number },
): Promise<void> {
  const bot = (await loadAccounts(tx, realmId, [wanted.botId])).get(wanted.botId);
  const channel = (await loadPostingChannels(tx, realmId, [wanted.channelId], [])).get(
    wanted.channelId,
  );
  if (!bot || !channel) return;
  await notifyBotOwner(tx, bot, { channel: channel.name, what: "without subscribers" });
}
