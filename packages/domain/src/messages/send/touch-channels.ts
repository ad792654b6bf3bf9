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
 * Takes the least id: if two first messages are sent concurrently, the one with the higher id may commit first. If two
 * transactions make a channel active, the second finds it active, because PostgreSQL reads a row again after waiting for it.
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
 * conversations of the batch are created, because other transactions lock a channel before they create conversations.
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
 * Stores the first message of channels, marks inactive channels as active (channels.md §11), and returns the events of
 * channels that became active. Sends no statement if no message does either. {@link lockTouchedChannels} has locked the rows.
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
