import { packed } from "@carillon/db";
import { pending } from "@carillon/scheduling";

/** SQL: bytes of text that must be parsed to send the row `s`; for a reminder, with the current text of its message. */
export const textBytes = `octet_length(s.content) + CASE WHEN s.reminder_target_message_id IS NULL THEN 0 ELSE coalesce(
    (SELECT octet_length(m.content) FROM messages m WHERE m.id = s.reminder_target_message_id), 0) END`;

/** Limits of one batch. */
export interface BatchLimits {
  /** Maximum rows. */
  readonly rows: number;
  /** A row is added if the rows before it have fewer bytes of text than this, so the last row may exceed the limit. */
  readonly bytes: number;
  /** Ids of rows that the previous batch is delivering: they stay due until it commits. */
  readonly taken?: readonly number[];
}

/** SQL: whether the row `s` is due in the organization `$1`. */
export const isDue = `s.realm_id = $1 AND s.deliver_at <= now() AND ${pending("s")}`;
/** SQL: the order of delivery. */
export const dueOrder = "ORDER BY s.deliver_at, s.id";

/**
 * SQL: selects ids of due rows within {@link BatchLimits}, `$2` to `$4`. The subquery makes PostgreSQL hash the taken ids:
 * `<> ALL($4)` would compare hundreds for each row. `octet_length` does not read the text.
 */
export const withinLimits = (condition: string) => `SELECT f.id FROM (
    SELECT d.id, sum(d.bytes) OVER due_order - d.bytes AS before, bool_or(d.attempts > 0) OVER due_order AS tried
    FROM (
      SELECT s.id, s.deliver_at, s.attempts, ${textBytes} AS bytes FROM scheduled_messages s
      WHERE ${isDue} AND ${condition} AND s.id NOT IN (SELECT unnest($4::bigint[])) ${dueOrder} LIMIT $2) d
    WINDOW due_order AS (ORDER BY d.deliver_at, d.id)) f
  WHERE f.before < $3`;

/** Makes the values `$1` to `$4` of {@link withinLimits}. */
export function limitValues(realmId: number, { rows, bytes, taken = [] }: BatchLimits): unknown[] {
  return [realmId, rows, bytes, packed.bigints(taken)];
}
