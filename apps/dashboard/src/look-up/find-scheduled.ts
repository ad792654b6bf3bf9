import { statement, typed, type Sql, type RowOf } from "@carillon/db";
import { pending, scheduledKind } from "@carillon/scheduling";

/**
 * A scheduled message for the operator, without text and topic. Times are UNIX seconds.
 * - `channelId`: null for a direct conversation.
 * - `clientName`: the client that scheduled or last changed it.
 * - `requestId`: the request that scheduled it; null if unknown.
 * - `seriesId`: the series that it is an occurrence of; null for none, like `occurrence`, the local date.
 * - `enqueuedAt`: when its delivery job was queued.
 * - `sentAt`: when the delivery claimed it; null if its message was removed.
 * - `endedAt`: when it was sent or failed, and the process, `HOST:PID`; null if unknown.
 * - `now`: the database's clock.
 */
export type ScheduledView = RowOf<typeof byEitherId>;

const find = (name: "scheduled-by-either-id" | "scheduled-by-ids", condition: string) =>
  statement({
    name,
    text: `SELECT s.id,
        CASE WHEN s.delivered THEN 'delivered' WHEN s.failed THEN 'failed' ELSE 'pending' END AS state,
        CASE s.kind WHEN ${scheduledKind.reminder} THEN 'reminder' ELSE 'message' END AS kind,
        s.realm_id AS "realmId", r.name AS "realmName", s.sender_id AS "senderId", u.full_name AS "senderName",
        u.delivery_email AS "senderEmail", s.channel_id AS "channelId", c.name AS "channelName",
        k.name AS "clientName", s.version, s.request_id AS "requestId", s.series_id AS "seriesId",
        to_char(s.occurrence, 'YYYY-MM-DD') AS occurrence,
        extract(epoch FROM s.deliver_at)::float8 AS "deliverAt",
        extract(epoch FROM s.created_at)::float8 AS "createdAt",
        extract(epoch FROM s.alarmed_at)::float8 AS "enqueuedAt",
        s.failure_message AS "failureMessage", s.delivered_message_id AS "deliveredMessageId",
        extract(epoch FROM m.sent_at)::float8 AS "sentAt", extract(epoch FROM s.ended_at)::float8 AS "endedAt",
        s.ended_by AS "endedBy", extract(epoch FROM now())::float8 AS now
      FROM scheduled_messages s JOIN realms r ON r.id = s.realm_id JOIN users u ON u.id = s.sender_id
        JOIN clients k ON k.id = s.client_id LEFT JOIN channels c ON c.id = s.channel_id
        LEFT JOIN messages m ON m.id = s.delivered_message_id
      WHERE ${condition}`,
    overrides: {
      state: typed<"pending" | "delivered" | "failed">(),
      kind: typed<"message" | "reminder">(),
    },
  });

const byEitherId = find(
  "scheduled-by-either-id",
  "s.id = $1 OR s.delivered_message_id = $1 ORDER BY s.id",
);
const byIds = find(
  "scheduled-by-ids",
  `s.id = ANY($1::bigint[]) ORDER BY NOT (${pending("s")}), CASE WHEN ${pending("s")} THEN s.deliver_at END,
    s.deliver_at DESC, s.id DESC`,
);

/** Finds the scheduled message with this id, and the one that was sent as the message with this id. */
export function findScheduled(sql: Sql, id: number): Promise<ScheduledView[]> {
  return sql.rows(byEitherId, [id]);
}

/** Loads scheduled messages by id: pending ones first, by time; then the others, latest first. */
export function loadScheduled(sql: Sql, ids: readonly number[]): Promise<ScheduledView[]> {
  return sql.rows(byIds, [ids]);
}
