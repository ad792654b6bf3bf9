import type { SeriesRun } from "@carillon/contract";
import { packed, statement, type Sql, type Tx, typed } from "@carillon/db";

export type RunOutcome = SeriesRun["outcome"];

/** How an occurrence ended. */
export interface NewRun {
  readonly seriesId: number;
  /** Local date */
  readonly occurrence: string;
  readonly outcome: RunOutcome;
  readonly messageId: number | null;
  readonly reason: string | null;
}

/** Replaces the run of an occurrence that failed and was sent later, at a new time. Never replaces the outcome `sent`. */
const record = statement({
  name: "series-runs-record",
  text: `INSERT INTO series_runs AS r (series_id, occurrence, outcome, message_id, reason, ended_at)
    SELECT n.series_id, n.occurrence::date, n.outcome, n.message_id, n.reason, clock_timestamp()
    FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::text[])
      AS n (series_id, occurrence, outcome, message_id, reason)
    ORDER BY n.series_id, n.occurrence
    ON CONFLICT (series_id, occurrence) DO UPDATE SET outcome = excluded.outcome, message_id = excluded.message_id,
      reason = excluded.reason, ended_at = excluded.ended_at WHERE r.outcome <> 'sent'`,
});

/** Records how occurrences of locked series ended. */
export async function recordRuns(tx: Tx, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return;
  await tx.rows(record, [
    packed.ints(runs.map(({ seriesId }) => seriesId)),
    packed.texts(runs.map(({ occurrence }) => occurrence)),
    packed.texts(runs.map(({ outcome }) => outcome)),
    packed.bigints(runs.map(({ messageId }) => messageId)),
    packed.texts(runs.map(({ reason }) => reason)),
  ]);
}

/** Maximum number of runs in a response. */
const maxRuns = 100;

const newest = statement({
  name: "series-runs-newest",
  text: `SELECT to_char(occurrence, 'YYYY-MM-DD') AS occurrence, outcome, message_id, reason FROM series_runs
    WHERE series_id = $1 ORDER BY series_runs.occurrence DESC LIMIT ${maxRuns}`,
  overrides: { outcome: typed<RunOutcome>() },
});

/** Lists how the last occurrences of a series ended, newest first. */
export function listRuns(sql: Sql, seriesId: number): Promise<SeriesRun[]> {
  return sql.rows(newest, [seriesId]);
}

const unskip = statement({
  name: "series-runs-unskip",
  text: `DELETE FROM series_runs WHERE series_id = $1 AND outcome = 'skipped'
    AND occurrence > coalesce($2::text::date, '-infinity') AND NOT to_char(occurrence, 'YYYY-MM-DD') = ANY($3::text[])`,
});

/**
 * Deletes the `skipped` runs of dates that the series no longer excludes, so that their occurrences can be sent.
 * @param cursor last occurrence of the series: only later dates can still be planned
 */
export async function forgetSkipped(
  tx: Tx,
  seriesId: number,
  cursor: string | null,
  excludedDates: readonly string[],
): Promise<void> {
  await tx.rows(unskip, [seriesId, cursor, excludedDates]);
}
