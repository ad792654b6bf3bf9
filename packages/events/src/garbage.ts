import { statement, type Tx } from "@carillon/db";
import { leads } from "@carillon/scheduling";
import { clearEvents } from "@carillon/jobs";

import {
  maxEventsBehind,
  graceSeconds,
  maxLagSeconds,
  servedSecondsSql,
  minLogSeconds,
} from "./lifetimes.ts";

const dropDead = statement({
  name: "event-queues-dead",
  text: `DELETE FROM event_queue WHERE queue_id IN (
    SELECT queue_id FROM event_queue q
    WHERE q.last_seen + make_interval(secs => ${servedSecondsSql} + ${graceSeconds}) < now()
    FOR NO KEY UPDATE SKIP LOCKED)`,
});

const keeping = statement({
  name: "event-logs-keeping",
  text: `SELECT h.realm_id AS "realmId", h.seq AS head, greatest(${minLogSeconds}, max(q.idle_timeout)) + ${maxLagSeconds} AS keep,
      EXISTS (SELECT FROM event_subscription s WHERE s.realm_id = h.realm_id AND s.state <> 'disabled') AS subscribed
    FROM event_head h LEFT JOIN event_queue q ON q.realm_id = h.realm_id GROUP BY h.realm_id`,
});

/** `$4`: seconds for which events are kept for subscriptions; `$5`: the number up to which events are not kept; null without. */
const dropOldest = statement({
  name: "event-log-drop-oldest",
  text: `DELETE FROM event_log WHERE realm_id = $1 AND seq <= (
    SELECT max(seq) FROM (
      SELECT seq, created_at FROM event_log WHERE realm_id = $1 ORDER BY seq LIMIT ${clearEvents.bound.batch}) oldest
    WHERE (created_at < now() - make_interval(secs => $2)
        OR (created_at < now() - make_interval(secs => ${minLogSeconds + maxLagSeconds}) AND seq <= $3))
      AND ($4::float8 IS NULL OR seq <= $5::bigint OR created_at < now() - make_interval(secs => $4)))`,
});

/** Limits on the events that are kept for subscriptions. */
export interface EventRetention {
  readonly days: number;
  /** Maximum events of one organization. */
  readonly events: number;
}

const usualRetention: EventRetention = { days: 7, events: 2_000_000 };

/**
 * Deletes dead queues, and events that no live queue can still request (events.md §6). Only one process runs it at a
 * time.
 * Events more than `maxEventsBehind` before the log's end are kept for the minimum time only, whatever the longest
 * idle time-out: otherwise one client that is away for days would keep everything. Polls in progress and gateways
 * that were frozen need that minimum.
 * Events of an organization with an event subscription that is not disabled are kept longer.
 * @param retention limits on the events that are kept for subscriptions
 * @returns the deleted numbers; undefined when another process is running it
 */
export async function collectGarbage(
  db: { transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
  retention: EventRetention = usualRetention,
): Promise<{ queues: number; events: number } | undefined> {
  return db.transaction(async (tx) => {
    if (!(await leads(tx, clearEvents))) return undefined;
    const queues = await tx.count(dropDead);
    const realms = await tx.rows(keeping);
    let events = 0;
    for (const { realmId, head, keep, subscribed } of realms)
      events += await tx.count(dropOldest, [
        realmId,
        keep,
        head - maxEventsBehind,
        ...(subscribed ? [retention.days * 86_400, head - retention.events] : [null, null]),
      ]);
    return { queues, events };
  });
}
