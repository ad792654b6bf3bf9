import { statement, type Tx } from "@carillon/db";
import {
  directMessageLink,
  messageLink,
  notice,
  paragraph,
  plainWords,
  quoted,
  silentUser,
  type NoticePart,
} from "@carillon/markdown";
import {
  loadAccounts,
  loadRealm,
  loadVisibleMessages,
  type OutgoingMessage,
} from "@carillon/model";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import type { ClaimedCall } from "../outgoing-calls/claim-call.ts";

const claim = statement({
  name: "bot-service-owner-told",
  text: `UPDATE bot_service SET owner_told_at = now() WHERE bot_id = $1
    AND (owner_told_at IS NULL OR owner_told_at < now() - interval '5 minutes') RETURNING bot_id`,
});

/**
 * Composes the direct message from a bot to its owner about a call that was given up, at most one in five minutes
 * (bot-platform.md §2.4). Links the message only if the owner can read it.
 */
export async function ownerNotice(
  tx: Tx,
  { realmId, botId, messageId }: ClaimedCall,
  reason: string,
): Promise<OutgoingMessage[]> {
  const bot = (await loadAccounts(tx, realmId, [botId])).get(botId);
  if (!bot || bot.botOwnerId === null) return [];
  const owner = (await loadAccounts(tx, realmId, [bot.botOwnerId])).get(bot.botOwnerId);
  if (!owner?.isActive || !(await tx.first(claim, [botId]))) return [];
  const link = await linkFor(tx, realmId, owner.id, messageId);
  return [
    await composeNotice(tx, {
      bot,
      target: directTo(bot, owner),
      notice: notice(
        paragraph`The endpoint of ${silentUser(bot)} could not handle ${link}: ${quoted(reason)}`,
      ),
    }),
  ];
}

async function linkFor(
  tx: Tx,
  realmId: number,
  ownerId: number,
  messageId: number,
): Promise<NoticePart> {
  const [message] = await loadVisibleMessages(tx, realmId, [{ accountId: ownerId, messageId }]);
  if (!message) return plainWords("a message that you cannot read");
  const { channel, topic, memberIds } = message;
  if (!channel) return directMessageLink("a direct message", memberIds ?? [], messageId);
  const { emptyTopicDisplayName } = await loadRealm(tx, realmId);
  return messageLink(channel, topic, emptyTopicDisplayName, messageId);
}
