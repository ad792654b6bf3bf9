import { type NumberedMessage, type PostingChannel, loadMetadataAudiences } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../../channels/events/channel-events.ts";

/** Of two messages that are a channel's first ones, the one with the higher id may be committed first. */
const noteFirst = statement({
  name: "channels-first-message",
  text: `UPDATE channels c SET first_message_id = least(c.first_message_id, f.message_id)
    FROM unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) WHERE c.id = f.channel_id`,
  row: {},
});

/** Of two who send to a quiet channel, the one who comes second finds that it is active. */
const wake = statement({
  name: "channels-wake",
  text: `UPDATE channels SET is_recently_active = true
    WHERE id = ANY(ARRAY(SELECT unnest($1::int[]))) AND NOT is_recently_active RETURNING id`,
  row: { id: column.int },
});

/**
 * Notes a channel's first message, and that quiet channels are quiet no longer (channels.md §11), which those who know
 * these are told. Of others nothing is asked.
 */
export async function touchChannels(
  sql: Sql,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<NewEvent[]> {
  const firsts = new Map<number, number>();
  const quiet = new Map<number, PostingChannel>();
  for (const { id, target } of messages) {
    if (target.kind !== "channel") continue;
    const { channel } = target;
    if (channel.firstMessageId === null && !firsts.has(channel.id)) firsts.set(channel.id, id);
    if (!channel.isRecentlyActive) quiet.set(channel.id, channel);
  }
  if (firsts.size > 0) await sql.rows(noteFirst, [[...firsts.keys()], [...firsts.values()]]);
  if (quiet.size === 0) return [];
  const woken = await sql.rows(wake, [[...quiet.keys()]]);
  const audiences = await loadMetadataAudiences(
    sql,
    realmId,
    woken.map(({ id }) => id),
  );
  return woken.flatMap(({ id }) => {
    const channel = quiet.get(id);
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", true, audience)] : [];
  });
}
