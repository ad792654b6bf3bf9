import { notNull, packed, statement, type RowOf, type Sql } from "@carillon/db";
import { maxTopicLength, resolvedPrefix } from "@carillon/model";
import { scheduledKind } from "@carillon/scheduling";

import { dueOrder, textBytes } from "./due-rows-sql.ts";
import { scheduledColumns, scheduledOverrides, scheduledTables } from "./row.ts";
import { gracePeriodSql, type SeriesRow } from "./series/series-row.ts";

/** Characters that a long topic and its resolved form have in common. */
const sharedCharacters = maxTopicLength - resolvedPrefix.length - "...".length;

const byIds = statement({
  name: "deliver-claimed",
  text: `SELECT ${scheduledColumns}, s.attempts, ${textBytes} AS bytes, s.recipient_id AS "recipientId",
      CASE WHEN $2::bool THEN s.recipient_id || ' ' ||
        left(lower(regexp_replace(s.topic, '^${resolvedPrefix}', '')), ${sharedCharacters}) ELSE '' END AS conversation,
      CASE WHEN s.unless IS NOT NULL THEN extract(epoch FROM s.created_at)::float8 END AS "scheduledAt",
      s.messages_before AS "messagesBefore", nullif(s.checked_in_by, '{}') AS "checkedInBy", u.is_active AS "senderActive",
      u.system_bot_kind IS NOT NULL AS "bySystemBot",
      s.deliver_at < now() - CASE WHEN s.kind = ${scheduledKind.reminder} THEN interval '7 days'
        WHEN s.series_id IS NULL OR s.detached THEN interval '10 minutes'
        ELSE make_interval(secs => ${gracePeriodSql("s.series_id")}) END AS "tooLate",
      s.deliver_at < now() - interval '1 minute' AND EXISTS (
        SELECT FROM realms r WHERE r.id = s.realm_id AND r.reactivated_at > s.deliver_at) AS "dueBeforeReactivation",
      (SELECT m.id FROM messages m WHERE m.scheduled_message_id = s.id LIMIT 1) IS NOT NULL
        OR s.series_id IS NOT NULL AND EXISTS (SELECT FROM series_runs run WHERE run.series_id = s.series_id
          AND run.occurrence = s.occurrence AND run.outcome = 'sent') AS "sentBefore"
    FROM ${scheduledTables} JOIN users u ON u.id = s.sender_id
    WHERE s.id = ANY($1::bigint[]) ${dueOrder}`,
  overrides: { ...scheduledOverrides, conversation: notNull },
});

/**
 * A due row, with the facts that can make it fail without further checks, and the facts that its conditions need.
 * - `conversation`: the recipient and the topic in lower case, without the prefix of resolved topics; empty unless one of
 *   the rows has conditions, because this takes PostgreSQL 3 µs a row.
 * - `scheduledAt`: when it was scheduled, UNIX seconds; null for a row without conditions.
 * - `messagesBefore`: the newest message id at that time; null for rows of an earlier release.
 * - `checkedInBy`: the accounts that have checked in; null if there are none.
 * - `attempts`: counted tries so far, the current one included.
 * - `bytes`: bytes of text that must be parsed to send it.
 * - `bySystemBot`: the sender is a system bot.
 * - `tooLate`: more than ten minutes late; for a reminder, more than seven days; for an occurrence, more than the grace
 *   period of its series.
 * - `dueBeforeReactivation`: late by more than a minute, and due before the organization was reactivated.
 * - `sentBefore`: its message exists, or its series has sent the occurrence. The holder of the row's lock is the only one
 *   to send it, so this cannot change meanwhile.
 */
export type DueRow = RowOf<typeof byIds> & {
  /** The locked series of a claimed occurrence. */
  readonly series?: SeriesRow | undefined;
};

/** Whether the row is a reminder, not a scheduled message. */
export function isReminder({ kind }: Pick<DueRow, "kind">): boolean {
  return kind === scheduledKind.reminder;
}

/**
 * Reads rows by their ids, in the order of delivery. Rows with a counted try are read after the count has committed:
 * otherwise the tries of a row that cannot be read would never be counted, and the rows behind it would wait forever.
 */
export async function readDueRows(
  sql: Sql,
  found: ReadonlyArray<{ readonly id: number; readonly hasConditions?: boolean }>,
): Promise<DueRow[]> {
  if (found.length === 0) return [];
  const hasConditions = found.some((row) => row.hasConditions);
  return sql.rows(byIds, [packed.bigints(found.map(({ id }) => id)), hasConditions]);
}
