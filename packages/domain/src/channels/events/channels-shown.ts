import type { Audience, NewEvent } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import { loadChannelPresenter, loadManyChannels, loadSubscribers } from "@carillon/model";

import { archivedAmong, channelsShownEvent } from "./channel-events.ts";
import { peersShownEvent } from "./peer-events.ts";

/**
 * The events that make channels known to accounts that see them by now: the channels, and who is subscribed. Clients add
 * those to `subscriber_count`, as after a channel's creation, so that it begins at 0 (channels.md §10). Another role may
 * show thousands, whose presentation leaves the event loop to others in between.
 */
export async function channelsShown(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
  audience: Audience,
): Promise<NewEvent[]> {
  const [channels, subscribersOf] = await Promise.all([
    loadManyChannels(sql, realmId, channelIds),
    loadSubscribers(sql, channelIds),
  ]);
  const shown = channelIds.flatMap((id) => channels.get(id) ?? []);
  const presenter = await loadChannelPresenter(sql, realmId, shown);
  const objects = await inSlices(shown, (channel) =>
    presenter.present({ ...channel, subscriberCount: 0 }),
  );
  const bySubscribers = new Map<string, { stream_ids: number[]; user_ids: number[] }>();
  await inSlices(channelIds, (id) => {
    const user_ids = subscribersOf(id);
    if (user_ids.length === 0) return;
    const key = user_ids.join(",");
    const alike = bySubscribers.get(key);
    if (alike) alike.stream_ids.push(id);
    else bySubscribers.set(key, { stream_ids: [id], user_ids });
  });
  const peers = await inSlices([...bySubscribers.values()], (alike) => {
    // Of these alone: asked of all channels for each set of subscribers, the work grew with the square of their number.
    const their = alike.stream_ids.flatMap((id) => channels.get(id) ?? []);
    return peersShownEvent(alike, audience, archivedAmong(their));
  });
  return [channelsShownEvent(objects, audience), ...peers];
}
