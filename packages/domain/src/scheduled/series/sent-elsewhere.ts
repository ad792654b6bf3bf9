import { notNull, statement, type Tx } from "@carillon/db";
import { recordRuns } from "./runs.ts";

/** The fields of a series that are read or changed here: its id, its cursor, and how many messages it has sent. */
interface Progress {
  readonly id: number;
  readonly lastOccurrence: string | null;
  readonly sentCount: number;
}

/**
 * Scans `scheduled_messages`. Runs only for series without a planned occurrence, and an index on delivered rows would slow
 * every delivery down.
 */
const sentAfterCursor = statement({
  name: "series-sent-elsewhere",
  text: `SELECT to_char(s.occurrence, 'YYYY-MM-DD') AS occurrence, s.delivered_message_id AS "messageId"
    FROM scheduled_messages s
    WHERE s.series_id = $1 AND s.delivered AND NOT s.detached
      AND s.occurrence > coalesce($2::text::date, '-infinity')
    ORDER BY s.occurrence LIMIT 100`,
  overrides: { occurrence: notNull },
});

const moveCursor = statement({
  name: "series-move-cursor",
  text: `UPDATE message_series SET last_occurrence = $2::text::date, sent_count = sent_count + $3::int WHERE id = $1`,
});

/**
 * Records the runs of occurrences that a worker of a release without series has sent, and moves the cursor past them. So
 * a later edit of the series does not send such a day again (once-and-again.md §3.4, "Mixed versions").
 * @param series locked, active, and without a planned occurrence
 */
export async function recordSentElsewhere<Series extends Progress>(
  tx: Tx,
  series: Series,
): Promise<Series> {
  const sent = await tx.rows(sentAfterCursor, [series.id, series.lastOccurrence]);
  const lastOccurrence = sent.at(-1)?.occurrence;
  if (lastOccurrence === undefined) return series;
  const ended = { seriesId: series.id, outcome: "sent", reason: null } as const;
  await recordRuns(
    tx,
    sent.map((run) => ({ ...ended, ...run })),
  );
  await tx.rows(moveCursor, [series.id, lastOccurrence, sent.length]);
  return { ...series, lastOccurrence, sentCount: series.sentCount + sent.length };
}
