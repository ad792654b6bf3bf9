import { type Channel, loadMetadataAudiences } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../../channels/events/channel-events.ts";
import type { Places } from "./places.ts";
import { SendersInTheWay } from "./removal.ts";

/** A channel whose first message goes, and the one that will be. */
export interface NewFirst {
  readonly channel: Channel;
  /** Null where none is left. */
  readonly messageId: number | null;
}

/**
 * A message that is being sent shows up with its commit, and its id may be lower than that of one that is there. No
 * transaction lasts longer than a minute.
 */
const remaining = statement({
  name: "first-messages-left",
  text: `SELECT r.id AS "recipientId", first.id AS "messageId", first.settled
    FROM unnest($1::int[]) AS r (id) LEFT JOIN LATERAL (
      SELECT m.id, m.sent_at < now() - interval '5 minutes' AS settled FROM messages m WHERE m.id = (
        SELECT id FROM messages WHERE recipient_id = r.id AND id NOT IN (SELECT unnest($2::bigint[])) ORDER BY id LIMIT 1)
    ) first ON true`,
  row: {
    recipientId: column.int,
    messageId: column.bigint.orNull(),
    settled: column.bool.orNull(),
  },
});

/**
 * Which message is each channel's first once these are gone, where that is another one.
 * @param there those of them that have not gone yet
 * @throws SendersInTheWay where only somebody who has the channels alone can tell
 */
export async function newFirsts(
  tx: Tx,
  { channels, alone }: Places,
  ids: readonly number[],
  there = ids,
): Promise<NewFirst[]> {
  const going = new Set(ids);
  const losing = [...channels].filter(
    ([, { firstMessageId }]) => firstMessageId !== null && going.has(firstMessageId),
  );
  if (losing.length === 0) return [];
  const left = await tx.rows(remaining, [losing.map(([recipientId]) => recipientId), there]);
  if (!alone && left.some(({ settled }) => !settled)) throw new SendersInTheWay();
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
  row: {},
});

/** Notes the channels' first messages, and tells everybody who knows the channels. */
export async function storeFirsts(
  tx: Tx,
  realmId: number,
  firsts: readonly NewFirst[],
): Promise<NewEvent[]> {
  if (firsts.length === 0) return [];
  const channelIds = firsts.map(({ channel }) => channel.id);
  const [, audiences] = await Promise.all([
    tx.lock({ name: "channels", keys: channelIds }, store, [
      channelIds,
      firsts.map(({ messageId }) => messageId),
    ]),
    loadMetadataAudiences(tx, realmId, channelIds),
  ]);
  return firsts.map(({ channel, messageId }) =>
    channelPropertyEvent(channel, "first_message_id", messageId, [
      ...(audiences.get(channel.id) ?? []),
    ]),
  );
}
