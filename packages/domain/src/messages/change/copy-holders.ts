import { notNull, statement, type Tx, typed } from "@carillon/db";
import { flag } from "@carillon/model";

/**
 * SQL: the accounts that may have a copy of the messages `ids` (an array). Copies are keyed by account
 * (docs/decisions/020), so the candidates are current and former subscribers of the channel, and holders of
 * `historical` copies.
 */
export const possibleHolders = ({
  channel,
  ids,
}: {
  readonly channel: string;
  readonly ids: string;
}) => `SELECT user_id FROM subscriptions WHERE channel_id = ${channel}
      UNION SELECT user_id FROM user_messages WHERE message_id = ANY(${ids}) AND flags & ${flag.historical} <> 0`;

/** Messages whose copies belong to the same set of active accounts. */
interface HolderGroup {
  /** Ascending. */
  readonly holderIds: readonly number[];
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Materialized once, so that the array is not evaluated again for each account. */
const askedFor = (ids: string) =>
  `asked AS MATERIALIZED (SELECT array(SELECT unnest(${ids}::bigint[])) AS ids)`;
const asked = "(SELECT ids FROM asked)::bigint[]";

const holderGroups = statement({
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
  overrides: { holderIds: notNull, ids: typed<readonly number[]>() },
});

/** Groups messages of one channel by the accounts that have a copy. */
export async function groupByHolders(
  tx: Tx,
  channelId: number,
  ids: readonly number[],
): Promise<HolderGroup[]> {
  return tx.rows(holderGroups, [channelId, ids]);
}

const interested = statement({
  name: "interested-in-messages",
  text: `WITH ${askedFor("$3")}
    SELECT coalesce(array_agg(u.id ORDER BY u.id), '{}') AS ids FROM users u WHERE u.is_active AND u.id IN (
      SELECT s.user_id FROM subscriptions s WHERE s.channel_id = ANY($1::int[]) AND s.active
      UNION SELECT p.user_id FROM (${possibleHolders({ channel: "$2", ids: asked })}) p
      WHERE EXISTS (SELECT FROM user_messages um WHERE um.user_id = p.user_id AND um.message_id = ANY(${asked})))`,
});

/**
 * Returns the active accounts that are subscribed to one of the channels or have a copy of one of the messages,
 * ascending. The messages are all of one channel.
 */
export async function interestedIn(
  tx: Tx,
  channelIds: readonly number[],
  holdersOf: { readonly channelId: number; readonly ids: readonly number[] },
): Promise<readonly number[]> {
  const row = await tx.first(interested, [channelIds, holdersOf.channelId, holdersOf.ids]);
  return row?.ids ?? [];
}
