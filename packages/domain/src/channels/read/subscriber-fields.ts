import { column, statement } from "@carillon/db";
import { loadSubscribers } from "@carillon/model";
import type { SnapshotContext } from "./section.ts";
import type { VisibleChannel } from "./visible-channels.ts";

/** What a channel object says of its subscribers: at most one of the two, ids ascending. */
export interface SubscriberFields {
  subscribers?: number[];
  partial_subscribers?: number[];
}

/** From so many subscribers on, `partial` leaves out who has not been around (events.md §1). */
const largeChannel = 250;

/** Loads who is subscribed to the channels, as the client asked for it with `include_subscribers`. */
export async function loadSubscriberFields(
  { tx, includeSubscribers }: SnapshotContext,
  channels: readonly VisibleChannel[],
): Promise<(channel: VisibleChannel) => SubscriberFields> {
  if (includeSubscribers === false) return () => ({});
  const isPartial = ({ subscriberCount }: VisibleChannel) =>
    includeSubscribers === "partial" && subscriberCount >= largeChannel;
  const idsWhere = (wanted: boolean) =>
    channels.filter((channel) => isPartial(channel) === wanted).map(({ id }) => id);
  const [everybody, some] = await Promise.all([
    loadSubscribers(tx, idsWhere(false)),
    loadRecentSubscribers(tx, idsWhere(true)),
  ]);
  return (channel) =>
    isPartial(channel)
      ? { partial_subscribers: some(channel.id) }
      : { subscribers: everybody(channel.id) };
}

const recent = statement({
  name: "recent-subscribers-of",
  text: `SELECT s.channel_id AS "channelId", array_agg(s.user_id ORDER BY s.user_id) AS ids
    FROM subscriptions s JOIN users u ON u.id = s.user_id LEFT JOIN user_presence p ON p.user_id = s.user_id
    WHERE s.channel_id = ANY($1::int[]) AND s.active AND s.is_user_active
      AND (u.is_bot OR greatest(p.active_at, p.idle_at) > now() - interval '14 days')
    GROUP BY s.channel_id`,
  row: { channelId: column.int, ids: column.ints },
});

/** Of each channel the bots, and the people who were present in the last two weeks. */
async function loadRecentSubscribers(
  tx: SnapshotContext["tx"],
  channelIds: readonly number[],
): Promise<(channelId: number) => number[]> {
  if (channelIds.length === 0) return () => [];
  const rows = await tx.rows(recent, [channelIds]);
  const byChannel = new Map(rows.map(({ channelId, ids }) => [channelId, ids]));
  return (channelId) => byChannel.get(channelId) ?? [];
}
