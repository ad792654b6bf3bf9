import { column, statement, type Sql, type RowOf } from "@carillon/db";
import { pending, scheduledKind } from "@carillon/scheduling";

const scheduledRow = {
  id: column.bigint,
  state: column.text.as<"pending" | "delivered" | "failed">(),
  kind: column.text.as<"message" | "reminder">(),
  realmId: column.int,
  realmName: column.text,
  senderId: column.int,
  senderName: column.text,
  senderEmail: column.text,
  /** Null for a direct conversation. */
  channelId: column.int.orNull(),
  channelName: column.text.orNull(),
  /** The client that scheduled or last changed it. */
  clientName: column.text,
  deliverAt: column.float,
  createdAt: column.float,
  /** The request that scheduled it; null if unknown. */
  requestId: column.text.orNull(),
  version: column.int,
  /** When its delivery job was queued. */
  enqueuedAt: column.float.orNull(),
  failureMessage: column.text.orNull(),
  deliveredMessageId: column.bigint.orNull(),
  /** When the delivery claimed it; null if its message was removed. */
  sentAt: column.float.orNull(),
  /** When it was sent or failed, and the process, `HOST:PID`; null if unknown. */
  endedAt: column.float.orNull(),
  endedBy: column.text.orNull(),
  /** The database's clock. */
  now: column.float,
};

/** A scheduled message for the operator, without text and topic. Times are UNIX seconds. */
export type ScheduledView = RowOf<typeof scheduledRow>;

const find = (name: string, condition: string) =>
  statement({
    name,
    text: `SELECT s.id,
        CASE WHEN s.delivered THEN 'delivered' WHEN s.failed THEN 'failed' ELSE 'pending' END AS state,
        CASE s.kind WHEN ${scheduledKind.reminder} THEN 'reminder' ELSE 'message' END AS kind,
        s.realm_id AS "realmId", r.name AS "realmName", s.sender_id AS "senderId", u.full_name AS "senderName",
        u.delivery_email AS "senderEmail", s.channel_id AS "channelId", c.name AS "channelName",
        k.name AS "clientName", s.version, s.request_id AS "requestId",
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
    row: scheduledRow,
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

/** Finds the scheduled message of this id, and the one that became the message of this id. */
export function findScheduled(sql: Sql, id: number): Promise<ScheduledView[]> {
  return sql.rows(byEitherId, [id]);
}

/** Loads existing rows of these ids: pending ones first, soonest first; then the others, latest first. */
export function loadScheduled(sql: Sql, ids: readonly number[]): Promise<ScheduledView[]> {
  return sql.rows(byIds, [ids]);
}
