import { type Channel, loadAudienceShift } from "@carillon/model";
import type { Audience, NewEvent } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { channelsGoneEvent } from "../events/channel-events.ts";
import { channelsShown } from "../events/channels-shown.ts";

/** Who is told of a change to a channel, and what those are told who see it only before, or only afterwards. */
export interface Sight {
  /** Those who see it before and afterwards. */
  readonly audience: Audience;
  readonly events: readonly NewEvent[];
}

/** An array without members, as PostgreSQL writes it. */
const nobody = "{}";

/**
 * Compares who sees the channel by now with who saw it (channels.md §5): who has come to see it is told of the whole
 * channel and its subscribers instead of what is different, who sees it no more that it is gone. Who they are goes back
 * into SQL as it came: they may be ten thousand.
 * @param before from `loadMetadataAudience`, of the same transaction
 */
export async function compareSight(sql: Sql, channel: Channel, before: string): Promise<Sight> {
  const { id, realmId } = channel;
  const { staying, gained, lost } = await loadAudienceShift(sql, realmId, id, before);
  return {
    audience: staying,
    events: [
      ...(lost === nobody ? [] : [channelsGoneEvent([channel], lost)]),
      ...(gained === nobody ? [] : await channelsShown(sql, realmId, [id], gained)),
    ],
  };
}
