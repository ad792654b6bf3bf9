import { column, statement, type Sql } from "@carillon/db";
import { messageIdAt, messageIdSlackMs, type Fragment } from "@carillon/model";

import type { Side } from "./window-statement.ts";

/** So many messages that came out of order are looked at. */
const mostOutOfOrder = 5_000;

const first = statement({
  name: "first-sent-message",
  text: `SELECT id, (extract(epoch FROM sent_at) * 1000000)::bigint AS time FROM messages
    WHERE id = ANY($1::bigint[]) ORDER BY sent_at, id LIMIT 1`,
  row: { id: column.bigint, time: column.bigint },
});

/** Finds matching messages on a side, for which conditions hold besides. */
type Find = (besides: readonly Fragment[], side: Side) => Promise<readonly number[]>;

/**
 * Finds the first of the matching messages, by the time at which they were sent and then by id, that was not sent before
 * a time (messages.md §1.2).
 * @param time microseconds since the UNIX epoch
 */
export async function firstSince(sql: Sql, time: bigint, find: Find): Promise<number | undefined> {
  // No message has times beyond these, and the database no numbers.
  const since = Number(time < 0n ? 0n : time > latest ? latest : time);
  const slack = messageIdSlackMs * 1_000;
  const notBefore = sentCompared(">=", since);
  const lowest: Side = { compare: ">=", bound: await messageIdAt(sql, since - slack), limit: 1 };
  const [id] = await find([notBefore], lowest);
  if (id === undefined) return undefined;
  const found = await sql.rows(first, [[id]]);
  const until = found[0] ? await messageIdAt(sql, found[0].time + slack) : 0;
  if (!found[0] || until <= id + 1) return id;
  const earlier = await find([notBefore, sentCompared("<", found[0].time)], {
    compare: ">",
    bound: id,
    until,
    limit: mostOutOfOrder,
  });
  if (earlier.length === 0) return id;
  const [earliest] = await sql.rows(first, [earlier]);
  return earliest?.id ?? id;
}

/** The year 2255: microseconds are exact until then. */
const latest = 9_000_000_000_000_000n;

function sentCompared(compare: "<" | ">=", time: number): Fragment {
  return (values) =>
    `m.sent_at ${compare} 'epoch'::timestamptz + ${values.add(time, "bigint")} * interval '1 us'`;
}
