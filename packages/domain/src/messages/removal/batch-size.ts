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
