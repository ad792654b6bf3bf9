import {
  type NumberedMessage,
  type PostingChannel,
  type Target,
  loadMetadataAudiences,
  lockChannelRows,
} from "@carillon/model";
import { statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../../channel-events/channel-events.ts";

/**
 * Takes the least id, because of two concurrent first messages the one with the higher id may commit first. Of two
 * transactions that make a channel active, the second finds it active: a row that was waited for is read again.
 */
const touch = statement({
  name: "channels-touch",
  text: `WITH held AS MATERIALIZED (
      SELECT id, NOT is_recently_active AS inactive FROM channels
      WHERE id = ANY(ARRAY(SELECT unnest($1::int[]))) ORDER BY id FOR NO KEY UPDATE
    ), touched AS (
      UPDATE channels c SET first_message_id = least(c.first_message_id, f.message_id),
        is_recently_active = true
      FROM held JOIN unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) ON f.channel_id = held.id
      WHERE c.id = held.id
    )
    SELECT id FROM held WHERE inactive ORDER BY id`,
});

/** Whether a message changes the channel's row: as its first message, or the first after a long time. */
function isTouched(channel: PostingChannel): boolean {
  return channel.firstMessageId === null || !channel.isRecentlyActive;
}

/** Whether a message to the target changes a row that concurrent senders change too. */
export function touchesChannel(target: Target): boolean {
  return target.kind === "channel" && isTouched(target.channel);
}

/**
 * Locks the rows that {@link touchChannels} will change, in one statement and in the order of ids. Must run before the
 * conversations of the batch are created: a transaction that has locked a channel may create some.
 */
export async function lockTouchedChannels(tx: Tx, targets: readonly Target[]): Promise<void> {
  const ids = targets.flatMap((target) =>
    target.kind === "channel" && isTouched(target.channel) ? [target.channel.id] : [],
  );
  await lockChannelRows(
    tx,
    [...new Set(ids)].toSorted((a, b) => a - b),
  );
}

/**
 * Stores the first message of channels, marks inactive channels as active (channels.md §11), and returns the events of the
 * latter. Sends no statement for other channels. {@link lockTouchedChannels} has locked the rows.
 */
export async function touchChannels(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<NewEvent[]> {
  /** Each channel, with the id of its first message if it had none. */
  const touched = new Map<number, { channel: PostingChannel; first: number | null }>();
  for (const { id, target } of messages) {
    if (target.kind !== "channel" || touched.has(target.channel.id)) continue;
    const { channel } = target;
    if (isTouched(channel))
      touched.set(channel.id, { channel, first: channel.firstMessageId === null ? id : null });
  }
  if (touched.size === 0) return [];
  const ids = [...touched.keys()];
  const activated = await tx.lock({ name: "channels", keys: ids }, touch, [
    ids,
    [...touched.values()].map(({ first }) => first),
  ]);
  if (activated.length === 0) return [];
  const audiences = await loadMetadataAudiences(
    tx,
    realmId,
    activated.map(({ id }) => id),
  );
  return activated.flatMap(({ id }) => {
    const channel = touched.get(id)?.channel;
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", true, audience)] : [];
  });
}
