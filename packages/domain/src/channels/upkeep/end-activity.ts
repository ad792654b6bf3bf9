import { holdGroupGraph, loadChannels, loadMetadataAudiences, lockChannels } from "@carillon/model";
import { column, statement, type Sql, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { channelPropertyEvent } from "../events/channel-events.ts";

/** Days without a message after which a channel is quiet (channels.md §1). */
const quietAfter = 180;

/** The newest message of each channel tells, however many there are. */
export const quietChannels = statement({
  name: "quiet-channels",
  text: `SELECT c.id FROM channels c JOIN recipients r ON r.channel_id = c.id
    LEFT JOIN LATERAL (
      SELECT sent_at FROM messages WHERE recipient_id = r.id ORDER BY id DESC LIMIT 1) newest ON true
    WHERE c.realm_id = $1 AND c.is_recently_active AND NOT c.is_archived
      AND ($3::int[] IS NULL OR c.id = ANY($3))
      AND greatest(c.date_created, newest.sent_at) < now() - interval '${quietAfter} days'
    ORDER BY c.id LIMIT $2`,
  row: { id: column.int },
});

async function quietOnes(
  sql: Sql,
  realmId: number,
  most: number,
  among?: readonly number[],
): Promise<number[]> {
  const rows = await sql.rows(quietChannels, [realmId, most, among ?? null]);
  return rows.map(({ id }) => id);
}

const end = statement({
  name: "channels-end-activity",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET is_recently_active = false FROM held WHERE c.id = held.id`,
  row: {},
});

/**
 * Notes that channels are active no longer, and tells those who know them. Who sends to one of them meanwhile waits, or
 * is waited for.
 * @param most how many channels
 * @returns how many there were; as many as asked for where there may be more
 */
export async function endActivity(tx: Tx, realmId: number, most: number): Promise<number> {
  await holdGroupGraph(tx, realmId);
  const found = await quietOnes(tx, realmId, most);
  if (found.length === 0) return 0;
  await lockChannels(tx, found);
  const ids = await quietOnes(tx, realmId, most, found);
  await tx.lock({ name: "channels", keys: ids }, end, [ids]);
  const [channels, audiences] = await Promise.all([
    loadChannels(tx, realmId, ids),
    loadMetadataAudiences(tx, realmId, ids),
  ]);
  const events = ids.flatMap((id) => {
    const channel = channels.get(id);
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", false, audience)] : [];
  });
  emit(tx, realmId, events);
  return found.length;
}
