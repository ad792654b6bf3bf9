import {
  type Channel,
  type ContentAudiences,
  changeAudiences,
  holdAudiences,
  holdGroupGraph,
  loadChannels,
  loadContentAudiences,
  lockChannelRows,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

/** The channels that messages are removed from, locked, and who may read them. */
export interface Places {
  /** By `messages.recipient_id`. */
  readonly channels: ReadonlyMap<number, Channel>;
  readonly readers: ContentAudiences;
  /** Whether nobody sends to them meanwhile. */
  readonly alone: boolean;
}

const recipients = statement({
  name: "recipients-of-channels",
  text: `SELECT id, channel_id AS "channelId" FROM recipients WHERE channel_id = ANY($1::int[])`,
  row: { id: column.int, channelId: column.int.neverNullHere() },
});

/**
 * Keeps everybody who can read the channels, and the channels themselves, as they are until the transaction ends: who
 * is told of a removal is who could see the messages. It comes before the messages are selected and locked.
 * @param channelIds those of the messages; none for direct messages
 * @param alone whether sending to them has to wait, see {@link removal}
 */
export async function lockPlaces(
  tx: Tx,
  realmId: number,
  channelIds: readonly number[],
  alone: boolean,
): Promise<Places> {
  const [, , , channels, rows, readers] = await Promise.all([
    holdGroupGraph(tx, realmId),
    alone ? changeAudiences(tx, channelIds) : holdAudiences(tx, channelIds),
    lockChannelRows(tx, channelIds),
    loadChannels(tx, realmId, channelIds),
    tx.rows(recipients, [channelIds]),
    loadContentAudiences(tx, realmId, channelIds),
  ]);
  const byRecipient = rows.flatMap(({ id, channelId }) => {
    const channel = channels.get(channelId);
    return channel ? [[id, channel] as const] : [];
  });
  return { channels: new Map(byRecipient), readers, alone };
}
