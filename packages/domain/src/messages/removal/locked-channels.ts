import { notNull, statement, type Tx } from "@carillon/db";
import {
  type Channel,
  type ContentAudiences,
  loadAfter,
  loadChannels,
  loadContentAudiences,
  lockAudiences,
  lockAudiencesShared,
  lockChannelRows,
  lockGroupGraphShared,
} from "@carillon/model";

/** The locked channels of messages that are removed or changed, and their readers. */
export interface LockedChannels {
  /** By `messages.recipient_id`. */
  readonly channels: ReadonlyMap<number, Channel>;
  readonly readers: ContentAudiences;
  /** Whether sending to them is blocked. */
  readonly blockSends: boolean;
}

const recipients = statement({
  name: "recipients-of-channels",
  text: `SELECT id, channel_id AS "channelId" FROM recipients WHERE channel_id = ANY($1::int[])`,
  overrides: { channelId: notNull },
});

/**
 * Locks the channels and their audiences until the transaction ends, so that the receivers of a removal's events are
 * the accounts that could see the messages. Must precede selecting and locking the messages.
 * @param channelIds channels of the messages; empty for direct messages
 * @param blockSends whether to block sending to them, see `runRemoval`
 */
export async function lockChannelsAndAudiences(
  tx: Tx,
  realmId: number,
  channelIds: readonly number[],
  blockSends: boolean,
): Promise<LockedChannels> {
  const { channels, rows, readers } = await loadAfter(
    [
      lockGroupGraphShared(tx, realmId),
      blockSends ? lockAudiences(tx, channelIds) : lockAudiencesShared(tx, channelIds),
      lockChannelRows(tx, channelIds),
    ],
    {
      channels: loadChannels(tx, realmId, channelIds),
      rows: tx.rows(recipients, [channelIds]),
      readers: loadContentAudiences(tx, realmId, channelIds),
    },
  );
  const byRecipient = rows.flatMap(({ id, channelId }) => {
    const channel = channels.get(channelId);
    return channel ? [[id, channel] as const] : [];
  });
  return { channels: new Map(byRecipient), readers, blockSends };
}
