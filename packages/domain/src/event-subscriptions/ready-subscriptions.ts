import { type Sql, statement } from "@carillon/db";
import type { SendEvents } from "@carillon/jobs";

import { admittedEndpoints } from "../outgoing-calls/slots.ts";

const ready = statement({
  name: "event-subscriptions-ready",
  text: `SELECT s.id AS "subscriptionId", s.calls
    FROM event_subscription s JOIN realms r ON r.id = s.realm_id AND NOT r.deactivated
      JOIN event_head h ON h.realm_id = s.realm_id AND h.seq > s.cursor
      ${admittedEndpoints}
    WHERE ($1::int[] IS NULL OR s.realm_id = ANY($1)) AND s.state IN ('active', 'failing')
      AND coalesce(s.calling_until <= now(), true) AND coalesce(s.next_at <= now(), true)
    ORDER BY s.id = $3 DESC NULLS LAST, random() LIMIT $2`,
});

/**
 * Reads subscriptions that have events to send and may be called now. The order is random, so that each subscription gets
 * its turn even if more than `limit` are ready.
 * @param wanted `realmIds`: only subscriptions of these organizations; `first`: the id of the subscription to put first
 */
export function readySubscriptions(
  sql: Sql,
  {
    realmIds,
    first,
    limit,
  }: { readonly realmIds?: readonly number[]; readonly first?: number; readonly limit: number },
): Promise<SendEvents[]> {
  return sql.rows(ready, [realmIds ?? null, limit, first ?? null]);
}

const lag = statement({
  name: "event-subscriptions-lag",
  text: `SELECT coalesce(max(extract(epoch FROM now() - e.created_at)), 0)::float8 AS seconds
    FROM event_subscription s JOIN event_log e ON e.realm_id = s.realm_id AND e.seq = s.cursor + 1
    WHERE s.state IN ('active', 'failing')`,
});

/** Returns the age in seconds of the oldest event that a subscription has neither delivered nor skipped. */
export async function subscriptionLag(sql: Sql): Promise<number> {
  return (await sql.rows(lag, []))[0]?.seconds ?? 0;
}
