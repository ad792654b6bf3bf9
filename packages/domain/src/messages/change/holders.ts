import { column, statement, type Tx } from "@carillon/db";
import { flag } from "@carillon/model";

/**
 * Nothing says who has a copy of a message but their own rows, keyed by account (docs/decisions/020): those are asked who
 * may have one, who are subscribed to the channel or were once, and copies that are `historical`. For statements about the messages `ids`, an array.
 */
export const possibleHolders = ({
  channel,
  ids,
}: {
  readonly channel: string;
  readonly ids: string;
}) => `SELECT user_id FROM subscriptions WHERE channel_id = ${channel}
      UNION SELECT user_id FROM user_messages WHERE message_id = ANY(${ids}) AND flags & ${flag.historical} <> 0`;

/** Messages that the same active accounts have copies of. */
export interface HeldAlike {
  /** Ascending. */
  readonly holderIds: readonly number[];
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Said once, and not for each account that is asked. */
const askedFor = (ids: string) =>
  `asked AS MATERIALIZED (SELECT array(SELECT unnest(${ids}::bigint[])) AS ids)`;
const asked = "(SELECT ids FROM asked)::bigint[]";

const alike = statement({
  name: "holders-of-messages",
  text: `WITH ${askedFor("$2")}, holder AS MATERIALIZED (
      SELECT p.user_id FROM (${possibleHolders({ channel: "$1", ids: asked })}) p
      JOIN users u ON u.id = p.user_id AND u.is_active
    ), held AS (
      SELECT um.message_id, array_agg(um.user_id ORDER BY um.user_id) AS holder_ids
      FROM holder JOIN user_messages um ON um.user_id = holder.user_id AND um.message_id = ANY(${asked})
      GROUP BY um.message_id
    )
    SELECT holder_ids AS "holderIds", json_agg(message_id ORDER BY message_id) AS ids FROM held GROUP BY holder_ids`,
  row: { holderIds: column.ints, ids: column.json<readonly number[]>() },
});

/** The messages, all of which are of the channel, by who has a copy. */
export async function heldAlike(
  tx: Tx,
  channelId: number,
  ids: readonly number[],
): Promise<HeldAlike[]> {
  return tx.rows(alike, [channelId, ids]);
}

const interested = statement({
  name: "interested-in-messages",
  text: `WITH ${askedFor("$3")}
    SELECT coalesce(array_agg(u.id ORDER BY u.id), '{}') AS ids FROM users u WHERE u.is_active AND u.id IN (
      SELECT s.user_id FROM subscriptions s WHERE s.channel_id = ANY($1::int[]) AND s.active
      UNION SELECT p.user_id FROM (${possibleHolders({ channel: "$2", ids: asked })}) p
      WHERE EXISTS (SELECT FROM user_messages um WHERE um.user_id = p.user_id AND um.message_id = ANY(${asked})))`,
  row: { ids: column.ints },
});

/** Who is subscribed to one of the channels, or has a copy of a message, all of which are of one channel; ascending. */
export async function interestedIn(
  tx: Tx,
  channelIds: readonly number[],
  holdersOf: { readonly channelId: number; readonly ids: readonly number[] },
): Promise<readonly number[]> {
  const row = await tx.first(interested, [channelIds, holdersOf.channelId, holdersOf.ids]);
  return row?.ids ?? [];
}
