import { column, statement, type Tx } from "@carillon/db";

import { mostRemoved } from "./remove-messages.ts";

/** So many copies go in one transaction: about a tenth of a second. */
const mostCopies = 20_000;

const holders = statement({
  name: "possible-holders",
  text: "SELECT count(*)::int AS count FROM subscriptions WHERE channel_id = $1",
  row: { count: column.int },
});

/** How many messages of a channel one transaction removes: the fewer the more people have copies of them. */
export async function messagesAtOnce(tx: Tx, channelId: number): Promise<number> {
  const row = await tx.first(holders, [channelId]);
  const each = Math.max(1, row?.count ?? 0);
  return Math.min(mostRemoved, Math.max(1, Math.floor(mostCopies / each)));
}

/** So many reactions and submessages go in one transaction: about a tenth of a second. */
const mostPutOn = 20_000;

const putOn = statement({
  name: "put-on-messages",
  text: `SELECT id, sum(count)::int AS count FROM (
      SELECT message_id AS id, count(*) FROM reactions WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
      UNION ALL
      SELECT message_id, count(*) FROM submessages WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
    ) counted GROUP BY id`,
  row: { id: column.bigint, count: column.int.neverNullHere() },
});

/** The first ones of the messages that go together: as many as have no more put on them than one transaction removes. */
export async function firstAtOnce(tx: Tx, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await tx.rows(putOn, [ids]);
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return ids.slice(0, howManyAtOnce(ids.map((id) => counts.get(id) ?? 0)));
}

/** How many of some messages go together, by what is put on each of them: one at least. */
export function howManyAtOnce(counts: readonly number[]): number {
  let sum = 0;
  const end = counts.findIndex((count, n) => (sum += count) > mostPutOn && n > 0);
  return end < 0 ? counts.length : end;
}
