import { column, statement, type Sql, type RowOf } from "@carillon/db";

/** What an operator may know of a scheduled message: never its text, nor its topic. Times are UNIX seconds. */
export type ScheduledView = RowOf<typeof byEitherId.columns>;

const byEitherId = statement({
  name: "scheduled-by-either-id",
  text: `SELECT s.id,
      CASE WHEN s.delivered THEN 'delivered' WHEN s.failed THEN 'failed' ELSE 'pending' END AS state,
      CASE s.kind WHEN 2 THEN 'reminder' ELSE 'message' END AS kind,
      s.realm_id AS "realmId", s.sender_id AS "senderId", s.channel_id AS "channelId", s.version,
      extract(epoch FROM s.deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM s.created_at)::float8 AS "createdAt",
      extract(epoch FROM s.alarmed_at)::float8 AS "alarmedAt",
      s.failure_message AS "failureMessage", s.delivered_message_id AS "deliveredMessageId",
      extract(epoch FROM m.sent_at)::float8 AS "sentAt", extract(epoch FROM now())::float8 AS now
    FROM scheduled_messages s LEFT JOIN messages m ON m.id = s.delivered_message_id
    WHERE s.id = $1 OR s.delivered_message_id = $1 ORDER BY s.id`,
  row: {
    id: column.bigint,
    state: column.text.as<"pending" | "delivered" | "failed">(),
    kind: column.text.as<"message" | "reminder">(),
    realmId: column.int,
    senderId: column.int,
    /** Null for a direct conversation. */
    channelId: column.int.orNull(),
    deliverAt: column.float,
    createdAt: column.float,
    version: column.int,
    /** Since when its alarm is in the queue. */
    alarmedAt: column.float.orNull(),
    failureMessage: column.text.orNull(),
    deliveredMessageId: column.bigint.orNull(),
    sentAt: column.float.orNull(),
    /** The database's clock. */
    now: column.float,
  },
});

/** The scheduled message of this id, and the one that became the message of this id. */
export function findScheduled(sql: Sql, id: number): Promise<ScheduledView[]> {
  return sql.rows(byEitherId, [id]);
}
