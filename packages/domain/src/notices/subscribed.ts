import { loadAccounts, loadRealm } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { bulletList, notice, paragraph, silentUser, told } from "@carillon/markdown";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

const stillSubscribed = statement({
  name: "names-of-channels-subscribed",
  text: `SELECT c.name FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.active
    WHERE c.id = ANY($1::int[]) AND NOT c.is_archived ORDER BY lower(c.name)`,
  row: { name: column.text },
});

/**
 * Tells somebody, in a direct message from the notification bot, that another has subscribed them to channels
 * (channels.md §8). Says nothing when one of the two is gone, or none of the channels is theirs any more.
 */
export async function sendSubscribedNotice(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; userId: number; channelIds: readonly number[] },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [wanted.actorId, wanted.userId]);
  const actor = accounts.get(wanted.actorId);
  const user = accounts.get(wanted.userId);
  const channels = await tx.rows(stillSubscribed, [wanted.channelIds, wanted.userId]);
  if (!actor || !user?.isActive || channels.length === 0) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot,
      target: directTo(bot, user),
      notice: notice(
        paragraph`${silentUser(actor)} subscribed you to:`,
        bulletList(channels.map(({ name }) => told(name))),
      ),
    }),
  ]);
  emit(tx, realmId, events);
}
