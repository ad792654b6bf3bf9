import type { NewEvent } from "@carillon/contract";
import { notNull, statement, type Tx } from "@carillon/db";
import { type Channel, loadAfter, loadMetadataAudiences } from "@carillon/model";

import { channelPropertyEvent } from "../../channel-events/channel-events.ts";
import { ConcurrentSends } from "./run-removal.ts";
import type { LockedChannels } from "./locked-channels.ts";

/** A channel whose first message changes, and its new first message. */
export interface NewFirstMessage {
  readonly channel: Channel;
  /** Null if no message is left. */
  readonly messageId: number | null;
}

/**
 * `settled` tells whether a message is older than any transaction can be: a message being sent becomes visible with its
 * commit, and may have a lower id than a visible one. No transaction lasts longer than a minute.
 */
const remaining = statement({
  name: "first-messages-left",
  text: `SELECT r.id AS "recipientId", first.id AS "messageId", first.settled
    FROM unnest($1::int[]) AS r (id) LEFT JOIN LATERAL (
      SELECT m.id, m.sent_at < now() - interval '5 minutes' AS settled FROM messages m WHERE m.id = (
        SELECT id FROM messages WHERE recipient_id = r.id AND id NOT IN (SELECT unnest($2::bigint[])) ORDER BY id LIMIT 1)
    ) first ON true`,
  overrides: { recipientId: notNull },
});

/**
 * Finds the new first message of each channel whose first message is removed.
 * @param existing the removed messages whose rows still exist
 * @throws ConcurrentSends if the answer depends on messages being sent, unless the transaction blocks sending
 */
export async function findNewFirstMessages(
  tx: Tx,
  { channels, blockSends }: LockedChannels,
  ids: readonly number[],
  existing = ids,
): Promise<NewFirstMessage[]> {
  const going = new Set(ids);
  const losing = [...channels].filter(
    ([, { firstMessageId }]) => firstMessageId !== null && going.has(firstMessageId),
  );
  if (losing.length === 0) return [];
  const left = await tx.rows(remaining, [losing.map(([recipientId]) => recipientId), existing]);
  if (!blockSends && left.some(({ settled }) => !settled)) throw new ConcurrentSends();
  return left.flatMap(({ recipientId, messageId }) => {
    const channel = channels.get(recipientId);
    return channel ? [{ channel, messageId }] : [];
  });
}

const store = statement({
  name: "first-messages-store",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET first_message_id = f.message_id
    FROM held JOIN unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) ON f.channel_id = held.id
    WHERE c.id = held.id`,
});

/** Stores the channels' first messages, and returns the events for all accounts that can see the channels. */
export async function storeFirstMessages(
  tx: Tx,
  realmId: number,
  firsts: readonly NewFirstMessage[],
): Promise<NewEvent[]> {
  if (firsts.length === 0) return [];
  const channelIds = firsts.map(({ channel }) => channel.id);
  const { audiences } = await loadAfter(
    tx.lock({ name: "channels", keys: channelIds }, store, [
      channelIds,
      firsts.map(({ messageId }) => messageId),
    ]),
    {
      audiences: loadMetadataAudiences(tx, realmId, channelIds),
    },
  );
  return firsts.map(({ channel, messageId }) =>
    channelPropertyEvent(channel, "first_message_id", messageId, [
      ...(audiences.get(channel.id) ?? []),
    ]),
  );
}
