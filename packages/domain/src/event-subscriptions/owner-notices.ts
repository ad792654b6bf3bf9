import { type Database, notNull, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { sendNotice } from "@carillon/jobs";
import { inlineCode, notice, paragraph, silentUser } from "@carillon/markdown";
import { loadAccounts, loadRealm } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";

const due = statement({
  name: "event-subscriptions-owner-due",
  text: `WITH due AS (
      SELECT id FROM event_subscription
      WHERE state = 'failing' AND owner_told_at IS NULL AND failing_since < now() - interval '1 hour'
      ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE event_subscription s SET owner_told_at = now() FROM due WHERE s.id = due.id
    RETURNING s.id, s.realm_id AS "realmId", extract(epoch FROM s.failing_since)::bigint AS since`,
  overrides: { since: notNull },
});

/** Records notices to the owners of bots whose subscriptions have been failing for an hour. */
export async function recordFailureNotices(db: Database, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.rows(due, [limit]);
    for (const { id, realmId, since } of rows)
      await recordOwnerNotice(tx, realmId, id, "failing", `${id}-${since}`);
    return rows.length;
  });
}

const read = statement({
  name: "event-subscription-notice",
  text: `SELECT bot_id AS "botId", origin, state, state_reason AS reason FROM event_subscription
    WHERE realm_id = $1 AND id = $2`,
});

/**
 * Sends the owner of a bot the notification bot's direct message that a subscription is failing or disabled
 * (bot-platform.md §3). Does nothing if its state has changed or the owner is not active.
 */
export async function sendSubscriptionNotice(
  tx: Tx,
  realmId: number,
  {
    subscriptionId,
    what,
  }: { readonly subscriptionId: number; readonly what: "failing" | "disabled" },
): Promise<void> {
  const subscription = await tx.first(read, [realmId, subscriptionId]);
  if (subscription?.state !== what) return;
  const { botId, origin, reason } = subscription;
  const bot = (await loadAccounts(tx, realmId, [botId])).get(botId);
  if (!bot || bot.botOwnerId === null) return;
  const owner = (await loadAccounts(tx, realmId, [bot.botOwnerId])).get(bot.botOwnerId);
  if (!owner?.isActive) return;
  const realm = await loadRealm(tx, realmId);
  const sender = await systemBot(tx, realmId, "notification");
  const because = inlineCode(reason ?? "unknown error");
  const text =
    what === "failing"
      ? paragraph`Events of ${silentUser(bot)} have not reached ${inlineCode(origin)} for an hour: ${because}. Carillon keeps trying.`
      : paragraph`Events of ${silentUser(bot)} are no longer sent to ${inlineCode(origin)}: ${because}. Resume the event subscription when its endpoint works again.`;
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, { bot: sender, target: directTo(sender, owner), notice: notice(text) }),
  ]);
  emit(tx, realmId, events);
}

/** Records a job that sends the owner of the bot a direct message about the state of a subscription. */
export async function recordOwnerNotice(
  tx: Tx,
  realmId: number,
  subscriptionId: number,
  what: "failing" | "disabled",
  key: string,
): Promise<void> {
  await recordIntents(tx, realmId, sendNotice, [
    {
      key: `event-subscription-${what}-${key}`,
      payload: { kind: "event-subscription", subscriptionId, what },
    },
  ]);
}
