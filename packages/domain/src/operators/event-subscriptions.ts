import type { EventSubscription } from "@carillon/contract";
import { type Database, type RowOf, type Sql, statement, typed } from "@carillon/db";

import { serveAfterCommit } from "../event-subscriptions/subscription-row.ts";

/** Subscriptions of one page. */
const pageSize = 100;

const list = statement({
  name: "operator-subscriptions",
  text: `SELECT s.id, s.bot_id AS "botId", b.full_name AS "botName", s.realm_id AS "realmId", r.name AS "realmName",
      s.origin, s.state, s.state_reason AS reason, s.attempts,
      coalesce(h.seq - s.cursor, 0)::float8 AS behind,
      CASE WHEN s.state IN ('active', 'failing') THEN
        (SELECT extract(epoch FROM now() - e.created_at) FROM event_log e
          WHERE e.realm_id = s.realm_id AND e.seq = s.cursor + 1) END::float8 AS "lagSeconds",
      extract(epoch FROM CASE WHEN s.state = 'failing' THEN s.next_at END)::float8 AS "nextAt",
      extract(epoch FROM a.attempted_at)::float8 AS "lastAt", a.status AS "lastStatus", a.error AS "lastError",
      extract(epoch FROM now())::float8 AS now
    FROM event_subscription s JOIN users b ON b.id = s.bot_id JOIN realms r ON r.id = s.realm_id
      LEFT JOIN event_head h ON h.realm_id = s.realm_id
      LEFT JOIN LATERAL (
        SELECT * FROM outgoing_attempt t WHERE t.subscription_id = s.id ORDER BY t.id DESC LIMIT 1) a ON true
    WHERE s.id > $1 AND ($2::int IS NULL OR s.realm_id = $2)
    ORDER BY s.id LIMIT ${pageSize + 1}`,
  overrides: { state: typed<EventSubscription["state"]>() },
});

/**
 * An event subscription, for an operator, without the path of its URL, which may hold secrets. Times are UNIX seconds.
 * - `behind`: number of the organization's events after its cursor, including those that do not match its filters.
 * - `lagSeconds`: age of the first of them; null if there is none, or if the subscription is paused or disabled.
 * - `lastAt`: time of its last call; null before the first.
 */
export type SubscriptionView = RowOf<typeof list>;

/** Lists event subscriptions by id. @param after the last subscription of the page before */
export async function listSubscriptionViews(
  sql: Sql,
  { after = 0, realmId }: { readonly after?: number; readonly realmId?: number } = {},
): Promise<{ readonly rows: readonly SubscriptionView[]; readonly next: number | undefined }> {
  const rows = await sql.rows(list, [after, realmId ?? null]);
  const page = rows.slice(0, pageSize);
  return { rows: page, next: rows.length > pageSize ? page.at(-1)?.id : undefined };
}

const lockAny = statement({
  name: "operator-subscription-lock",
  text: `SELECT s.id, s.calls, b.is_active AS "isActive" FROM event_subscription s JOIN users b ON b.id = s.bot_id
    WHERE s.id = $1 FOR NO KEY UPDATE OF s`,
});

const acting = (
  name: "operator-subscription-resume" | "operator-subscription-disable",
  event: string,
  change: string,
) =>
  statement({
    name,
    text: `WITH changed AS (
        UPDATE event_subscription s SET ${change} WHERE id = $1 RETURNING s.id, s.realm_id, s.bot_id
      )
      INSERT INTO audit_log (realm_id, modified_user_id, event_type, extra_data)
      SELECT realm_id, bot_id, '${event}', jsonb_build_object('subscription_id', id, 'operator', $2::text) FROM changed`,
  });

const resume = acting(
  "operator-subscription-resume",
  "event_subscription_resumed",
  `state = 'active', state_reason = NULL, failing_since = NULL, next_at = NULL, attempts = 0, owner_told_at = NULL`,
);

const disable = acting(
  "operator-subscription-disable",
  "event_subscription_disabled",
  `state = 'disabled', state_reason = 'disabled by an operator', failing_since = NULL, next_at = NULL`,
);

/**
 * Resumes a subscription, whatever its state, and sends its next events at once.
 * @param operator name for the audit log
 * @returns false if there is none of this id, or if its bot is deactivated
 */
export function resumeSubscription(db: Database, id: number, operator: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [row] = await tx.lock({ name: "eventSubscriptions", keys: [id] }, lockAny, [id]);
    if (!row?.isActive) return false;
    await tx.rows(resume, [id, operator]);
    serveAfterCommit(tx, row);
    return true;
  });
}

/**
 * Disables a subscription until its owner or an operator resumes it.
 * @param operator name for the audit log
 * @returns false if there is none of this id
 */
export function disableSubscription(db: Database, id: number, operator: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [row] = await tx.lock({ name: "eventSubscriptions", keys: [id] }, lockAny, [id]);
    if (!row) return false;
    await tx.rows(disable, [id, operator]);
    return true;
  });
}
