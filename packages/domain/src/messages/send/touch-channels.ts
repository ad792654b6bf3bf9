import { type NumberedMessage, type PostingChannel, loadMetadataAudiences } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../../channels/events/channel-events.ts";

/** Of two messages that are a channel's first ones, the one with the higher id may be committed first. */
const touch = statement({
  name: "channels-touch",
  text: `UPDATE channels c SET first_message_id = least(c.first_message_id, f.message_id), is_recently_active = true
    FROM unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) JOIN (
      SELECT id, is_recently_active FROM channels WHERE id = ANY(ARRAY(SELECT unnest($1::int[])))
      ORDER BY id FOR NO KEY UPDATE
    ) before ON before.id = f.channel_id
    WHERE c.id = f.channel_id RETURNING c.id, NOT before.is_recently_active AS "wasQuiet"`,
  row: { id: column.int, wasQuiet: column.bool },
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
  const touched = new Map<number, { channel: PostingChannel; messageId: number }>();
  for (const { id, target } of messages) {
    if (target.kind !== "channel" || touched.has(target.channel.id)) continue;
    const { channel } = target;
    if (channel.firstMessageId === null || !channel.isRecentlyActive)
      touched.set(channel.id, { channel, messageId: id });
  }
  if (touched.size === 0) return [];
  const messageIds = [...touched.values()].map(({ messageId }) => messageId);
  const rows = await sql.rows(touch, [[...touched.keys()], messageIds]);
  const quiet = rows.filter(({ wasQuiet }) => wasQuiet).map(({ id }) => id);
  const audiences = await loadMetadataAudiences(sql, realmId, quiet);
  return quiet.flatMap((id) => {
    const channel = touched.get(id)?.channel;
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", true, audience)] : [];
  });
}
