import {
  type NumberedMessage,
  type PostingChannel,
  type Target,
  loadMetadataAudiences,
  lockChannelRows,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../../channel-events/channel-events.ts";

/**
 * Of two messages that are a channel's first ones, the one with the higher id may be committed first. Of two
 * transactions that wake a quiet channel, the second finds it awake: a locked row is returned as it is by then.
 */
const touch = statement({
  name: "channels-touch",
  text: `WITH held AS MATERIALIZED (
      SELECT id, NOT is_recently_active AS quiet FROM channels
      WHERE id = ANY(ARRAY(SELECT unnest($1::int[]))) ORDER BY id FOR NO KEY UPDATE
    ), touched AS (
      UPDATE channels c SET first_message_id = least(c.first_message_id, f.message_id),
        is_recently_active = true
      FROM held JOIN unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) ON f.channel_id = held.id
      WHERE c.id = held.id
    )
    SELECT id FROM held WHERE quiet ORDER BY id`,
  row: { id: column.int },
});

/** Whether a message changes the channel's row: it is the first one, or the first after a long time. */
function isTouched(channel: PostingChannel): boolean {
  return channel.firstMessageId === null || !channel.isRecentlyActive;
}

/** Whether a message to the target changes a row that other senders to it change too. */
export function touchesChannel(target: Target): boolean {
  return target.kind === "channel" && isTouched(target.channel);
}

/**
 * Locks the rows that {@link touchChannels} will change, all at once and in the order of ids. It comes before the
 * conversations of the batch are opened: whoever has a channel locked may open some.
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
 * Notes a channel's first message, and that quiet channels are quiet no longer (channels.md §11), which those who know
 * these are told. Of others nothing is asked. {@link lockTouchedChannels} has locked the rows.
 */
export async function touchChannels(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<NewEvent[]> {
  /** The channel, and its first message where it had none. */
  const touched = new Map<number, { channel: PostingChannel; first: number | null }>();
  for (const { id, target } of messages) {
    if (target.kind !== "channel" || touched.has(target.channel.id)) continue;
    const { channel } = target;
    if (isTouched(channel))
      touched.set(channel.id, { channel, first: channel.firstMessageId === null ? id : null });
  }
  if (touched.size === 0) return [];
  const ids = [...touched.keys()];
  const woken = await tx.lock({ name: "channels", keys: ids }, touch, [
    ids,
    [...touched.values()].map(({ first }) => first),
  ]);
  if (woken.length === 0) return [];
  const audiences = await loadMetadataAudiences(
    tx,
    realmId,
    woken.map(({ id }) => id),
  );
  return woken.flatMap(({ id }) => {
    const channel = touched.get(id)?.channel;
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", true, audience)] : [];
  });
}
