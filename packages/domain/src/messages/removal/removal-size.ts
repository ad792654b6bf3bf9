import { statement, type Tx } from "@carillon/db";

import { maxRemoved } from "./remove-messages.ts";

/** Maximum copies that one transaction removes: about a tenth of a second. */
const maxCopies = 20_000;

const holders = statement({
  name: "possible-holders",
  text: "SELECT count(*)::int AS count FROM subscriptions WHERE channel_id = $1",
});

/** Returns how many messages of a channel one transaction removes: fewer if more accounts have copies. */
export async function maxMessagesOfChannel(tx: Tx, channelId: number): Promise<number> {
  const row = await tx.first(holders, [channelId]);
  const each = Math.max(1, row?.count ?? 0);
  return Math.min(maxRemoved, Math.max(1, Math.floor(maxCopies / each)));
}

/** Maximum reactions and submessages that one transaction removes: about a tenth of a second. */
const maxReactions = 20_000;

const dependentRows = statement({
  name: "put-on-messages",
  text: `SELECT id, sum(count)::int AS count FROM (
      SELECT message_id AS id, count(*) FROM reactions WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
      UNION ALL
      SELECT message_id, count(*) FROM submessages WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
    ) counted GROUP BY id`,
});

/** Returns the first of the messages, as many as one transaction can remove with their reactions and submessages. */
export async function firstThatFit(tx: Tx, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await tx.rows(dependentRows, [ids]);
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return ids.slice(0, countThatFit(ids.map((id) => counts.get(id) ?? 0)));
}

/**
 * Returns how many messages one transaction removes, given the number of reactions and submessages of each; at least
 * one.
 */
export function countThatFit(counts: readonly number[]): number {
  let sum = 0;
  const end = counts.findIndex((count, n) => (sum += count) > maxReactions && n > 0);
  return end < 0 ? counts.length : end;
}
