import { statement, notNull, type RowOf, type Sql } from "@carillon/db";
import { historyBuckets, historySteps } from "@carillon/scheduling";
import { quantile } from "./quantile.ts";

/** Displayed spans: length and step of the chart in seconds, and the step of the stored rows. */
export const historySpans = {
  day: { seconds: 86_400, drawn: 900, rows: historySteps.fine.seconds, title: "24 hours" },
  month: {
    seconds: 30 * 86_400,
    drawn: 21_600,
    rows: historySteps.coarse.seconds,
    title: "30 days",
  },
} as const;

export type HistorySpan = keyof typeof historySpans;

const stored = statement({
  name: "dashboard-history",
  text: `SELECT extract(epoch FROM date_bin(make_interval(secs => $3), at, timestamptz 'epoch'))::float8 AS at, backend, sent, failed,
      worst, buckets
    FROM delivery_history
    WHERE step = $1 AND at >= date_bin(make_interval(secs => $3), now() - make_interval(secs => $2), timestamptz 'epoch')
    ORDER BY delivery_history.at`,
  overrides: { at: notNull, buckets: notNull },
});

const clock = statement({
  name: "dashboard-clock",
  text: "SELECT extract(epoch FROM now())::float8 AS now",
});

/** Deliveries within one step of time; latenesses in seconds, null if nothing was sent. */
export interface HistoryStep {
  /** When it begins, UNIX seconds. */
  readonly at: number;
  readonly sent: number;
  readonly failed: number;
  readonly median: number | null;
  readonly p95: number | null;
  readonly worst: number | null;
  /** Sent and failed counts, by queue backend. */
  readonly backends: Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;
}

/** Reads the deliveries of a span by step, oldest first, empty steps included. */
export async function readHistory(sql: Sql, span: HistorySpan): Promise<HistoryStep[]> {
  const { seconds, drawn, rows: step } = historySpans[span];
  const [rows, [time]] = await Promise.all([
    sql.rows(stored, [step, seconds, drawn]),
    sql.rows(clock),
  ]);
  const parts = new Map<number, Array<RowOf<typeof stored>>>();
  for (const row of rows) parts.set(row.at, [...(parts.get(row.at) ?? []), row]);
  const last = Math.floor((time?.now ?? 0) / drawn) * drawn;
  const first = Math.floor(((time?.now ?? 0) - seconds) / drawn) * drawn;
  const count = Math.round((last - first) / drawn) + 1;
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * drawn;
    return merged(at, parts.get(at) ?? []);
  });
}

function merged(at: number, rows: ReadonlyArray<RowOf<typeof stored>>): HistoryStep {
  const buckets = Array.from({ length: historyBuckets.length + 1 }, () => 0);
  const backends: Record<string, { sent: number; failed: number }> = {};
  let [sent, failed, worst] = [0, 0, 0];
  for (const row of rows) {
    sent += row.sent;
    failed += row.failed;
    worst = Math.max(worst, row.worst);
    for (const [i, count] of row.buckets.entries()) buckets[i] = (buckets[i] ?? 0) + count;
    const own = (backends[row.backend] ??= { sent: 0, failed: 0 });
    own.sent += row.sent;
    own.failed += row.failed;
  }
  const of = (share: number) => quantile(buckets, worst, share);
  return {
    at,
    sent,
    failed,
    median: of(0.5),
    p95: of(0.95),
    worst: sent > 0 ? worst : null,
    backends,
  };
}
