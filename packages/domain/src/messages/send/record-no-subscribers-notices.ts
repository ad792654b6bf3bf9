import type { CheckedMessage, Realm } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";

/** Seconds between two notices to the owner of a bot (scheduled-messages.md §6). */
const noticeInterval = 300;

/** Requests notices to the owners of bots that have sent to channels without subscribers. */
export async function recordNoSubscribersNotices(
  tx: Tx,
  realm: Realm,
  messages: readonly CheckedMessage[],
): Promise<void> {
  /** The last channel without subscribers, by the id of the bot. */
  const channelOfBot = new Map<number, number>();
  for (const { sender, target } of messages)
    if (sender.isBot && target.kind === "channel" && target.channel.subscriberCount === 0)
      channelOfBot.set(sender.id, target.channel.id);
  const interval = Math.floor(realm.now / noticeInterval);
  await recordIntents(
    tx,
    realm.id,
    sendNotice,
    [...channelOfBot].map(([botId, channelId]) => ({
      key: `bot-unheard-${botId}-${interval}`,
      payload: { kind: "bot-unheard", botId, channelId },
    })),
  );
}
