import type { EventDelivery } from "@carillon/contract";
import { notNull, statement, typed, type Sql } from "@carillon/db";
import type { Account } from "@carillon/model";

import { readSubscription } from "./subscription-row.ts";

const attempts = statement({
  name: "event-subscription-deliveries",
  text: `SELECT webhook_id, first_event_id, last_event_id, events, attempt,
      floor(extract(epoch FROM attempted_at))::int AS attempted_at, status, error, duration_ms, outcome, response_head
    FROM outgoing_attempt WHERE subscription_id = $1 AND attempted_at > now() - interval '14 days'
    ORDER BY id DESC LIMIT 100`,
  overrides: { events: notNull, outcome: typed<EventDelivery["outcome"]>() },
});

/** Lists the last calls of a subscription, newest first. @throws ApiError `BAD_REQUEST` */
export async function listSubscriptionDeliveries(
  sql: Sql,
  actor: Account,
  id: number,
): Promise<EventDelivery[]> {
  await readSubscription(sql, actor, id);
  return sql.rows(attempts, [id]);
}
