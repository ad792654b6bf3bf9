import type { NumberedMessage } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";

/** Who gets a copy, as PostgreSQL writes an array: it goes back into SQL as it came, however long. */
export type Audience = string;

const subscribers = statement({
  name: "channel-audiences",
  text: `SELECT channel_id AS "channelId", array_agg(user_id ORDER BY user_id)::text AS audience
    FROM subscriptions WHERE channel_id = ANY($1::int[]) AND active AND is_user_active GROUP BY channel_id`,
  row: { channelId: column.int, audience: column.text },
});

/**
 * For each message its audience: the active subscribers of the channel, or everybody in the conversation. A sender
 * outside the channel gets no copy.
 */
export async function loadAudiences(
  sql: Sql,
  messages: readonly NumberedMessage[],
): Promise<Audience[]> {
  const channelIds = new Set<number>();
  for (const { target } of messages)
    if (target.kind === "channel") channelIds.add(target.channel.id);
  const rows = channelIds.size > 0 ? await sql.rows(subscribers, [[...channelIds]]) : [];
  const byChannel = new Map(rows.map(({ channelId, audience }) => [channelId, audience]));
  return messages.map(({ target }) =>
    target.kind === "channel"
      ? (byChannel.get(target.channel.id) ?? "{}")
      : `{${target.members.join(",")}}`,
  );
}

/** Those of the accounts who are in the audience. */
export function amongAudience(audience: Audience, ids: readonly number[]): readonly number[] {
  if (ids.length === 0) return ids;
  const receivers = new Set(audience.slice(1, -1).split(","));
  return ids.filter((id) => receivers.has(String(id)));
}
