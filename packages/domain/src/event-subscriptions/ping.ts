import { errors, maxPings } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { pingSubscription } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import type { Account } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { lockSubscription } from "./subscription-row.ts";

const lately = "unnest(s.pinged_at) AS p (at) WHERE p.at > now() - interval '1 minute'";

const count = statement({
  name: "event-subscription-ping",
  text: `UPDATE event_subscription s SET pinged_at = ARRAY(SELECT p.at FROM ${lately}) || now()
    WHERE s.id = $1 AND (SELECT count(*) FROM ${lately}) < ${maxPings} RETURNING s.id`,
});

const wait = statement({
  name: "event-subscription-ping-wait",
  text: `SELECT extract(epoch FROM min(p.at) + interval '1 minute' - now())::float8 AS seconds
    FROM event_subscription s, unnest(s.pinged_at) AS p (at)
    WHERE s.id = $1 AND p.at > now() - interval '1 minute'`,
});

/**
 * Queues a ping of a subscription. It is sent in any state, and does not wait for events.
 * @throws ApiError `BAD_REQUEST`; `RATE_LIMIT_HIT` after ten pings in a minute
 */
export async function queuePing(tx: Tx, actor: Account, id: number): Promise<void> {
  const { row } = await lockSubscription(tx, actor, id);
  if (!(await tx.first(count, [id]))) {
    const found = await tx.first(wait, [id]);
    throw errors.rateLimitHit(Math.max(1, found?.seconds ?? 1));
  }
  await recordIntents(tx, row.realmId, pingSubscription, [
    { key: `${id}-${randomKey(24)}`, payload: { subscriptionId: id } },
  ]);
}
