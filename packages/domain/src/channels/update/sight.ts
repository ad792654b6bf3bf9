import { type Channel, type MetadataAudiences, loadMetadataAudiences } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { channelsGoneEvent } from "../events/channel-events.ts";
import { channelsShown } from "../events/channels-seen.ts";

/** Who is told of a change to a channel, and what those are told who see it only before, or only afterwards. */
export interface Sight {
  /** Those who see it before and afterwards. */
  readonly audience: readonly number[];
  readonly events: readonly NewEvent[];
}

/**
 * Compares who sees the channel by now with who saw it (channels.md §5): who has come to see it is told of the whole
 * channel and its subscribers instead of what is different, who sees it no more that it is gone.
 * @param before from {@link seenBy}, of the same transaction
 * @param mayDiffer false where the change cannot have changed that
 */
export async function compareSight(
  sql: Sql,
  channel: Channel,
  before: ReadonlySet<number>,
  mayDiffer: boolean,
): Promise<Sight> {
  if (!mayDiffer) return { audience: [...before], events: [] };
  const { id, realmId } = channel;
  const after = await seenBy(sql, realmId, id);
  const lost = [...before].filter((user) => !after.has(user));
  const gained = [...after].filter((user) => !before.has(user));
  return {
    audience: [...before].filter((user) => after.has(user)),
    events: [
      ...(lost.length > 0 ? [channelsGoneEvent([channel], lost)] : []),
      ...(gained.length > 0 ? await channelsShown(sql, realmId, [id], gained) : []),
    ],
  };
}

/** The active accounts that see the channel, as its row is now. */
export async function seenBy(
  sql: Sql,
  realmId: number,
  channelId: number,
): Promise<ReadonlySet<number>> {
  const audiences: MetadataAudiences = await loadMetadataAudiences(sql, realmId, [channelId]);
  return audiences.get(channelId) ?? new Set();
}
