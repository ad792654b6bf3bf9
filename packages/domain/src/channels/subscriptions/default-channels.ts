import {
  type Account,
  type Realm,
  loadMetadataAudiences,
  lockChannels,
  subscribe,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { peerEvents } from "../events/peer-events.ts";

const listed = statement({
  name: "default-channels-to-subscribe",
  text: `SELECT d.channel_id AS "channelId" FROM default_channels d JOIN channels c ON c.id = d.channel_id
    WHERE c.realm_id = $1 AND NOT c.is_archived ORDER BY lower(c.name)`,
  row: { channelId: column.int },
});

/**
 * Subscribes a new account to the organization's default channels. It has no event queue yet, so that only the
 * others are told.
 */
export async function subscribeToDefaults(
  tx: Tx,
  realm: Realm,
  account: Account,
): Promise<NewEvent[]> {
  const channels = await tx.rows(listed, [realm.id]);
  const ids = channels.map(({ channelId }) => channelId);
  await lockChannels(tx, ids);
  const added = await subscribe(tx, channels, [account.id]);
  const audiences = await loadMetadataAudiences(tx, realm.id, ids);
  return peerEvents("peer_add", added, audiences);
}
