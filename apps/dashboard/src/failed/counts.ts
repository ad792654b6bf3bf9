import { composed, type Composition, notNull, type RowOf, type Sql } from "@carillon/db";
import { conditionOf, exampleFilters, type FailedFilter } from "./filter.ts";

/** Limit of counted failures, so that the page stays fast. */
export const maxCounted = 50_000;

/** Displayed spans, with their lengths and steps in seconds. */
export const spans = {
  day: { seconds: 86_400, step: 3_600, title: "24 hours" },
  month: { seconds: 30 * 86_400, step: 86_400, title: "30 days" },
} as const;

export type Span = keyof typeof spans;

/**
 * Failures within a step of time.
 * - `at`: when the step begins, UNIX seconds.
 */
export type FailedStep = RowOf<typeof steps>;

/** Selects the latest failures of a span. */
const latest = (filter: FailedFilter, span: Span) => {
  const { text, values } = conditionOf(filter);
  return {
    from: `(SELECT f.failed_at, f.reason FROM delivery_failures f
      WHERE ${text} AND f.failed_at > now() - interval '${spans[span].seconds} seconds'
      ORDER BY f.failed_at DESC, f.id DESC LIMIT ${maxCounted}) f`,
    values,
  };
};

/** Includes steps without failures, so that gaps are visible. */
function composeSteps(filter: FailedFilter, span: Span): Composition {
  const { from, values } = latest(filter, span);
  const { step, seconds } = spans[span];
  const binned = (time: string) => `date_bin('${step} seconds', ${time}, timestamptz 'epoch')`;
  return {
    text: `SELECT extract(epoch FROM at)::float8 AS at, coalesce(n, 0)::int AS count
      FROM generate_series(${binned(`now() - interval '${seconds} seconds'`)}, now(), '${step} seconds') AS at
        LEFT JOIN (SELECT ${binned("failed_at")} AS step, count(*) AS n FROM ${from} GROUP BY 1) f ON f.step = at
      ORDER BY at`,
    values,
  };
}

const examples = <Made>(compose: (filter: FailedFilter, span: Span) => Made): Made[] =>
  exampleFilters.flatMap((filter) => [compose(filter, "day"), compose(filter, "month")]);

const steps = composed({
  name: "dashboard-failed-steps",
  overrides: {
    /** When the step begins, UNIX seconds. */
    at: notNull,
  },
  compose: composeSteps,
  examples,
});

/** Counts failures in each step of the span, oldest first. */
export function countOverTime(sql: Sql, filter: FailedFilter, span: Span): Promise<FailedStep[]> {
  return steps(sql, filter, span);
}

export type FailedReason = RowOf<typeof reasons>;

const maxReasons = 20;

function composeReasons(filter: FailedFilter, span: Span): Composition {
  const { from, values } = latest(filter, span);
  return {
    text: `SELECT reason, count(*)::int AS count FROM ${from}
      GROUP BY reason ORDER BY count(*) DESC, reason LIMIT ${maxReasons}`,
    values,
  };
}

const reasons = composed({
  name: "dashboard-failed-reasons",
  compose: composeReasons,
  examples,
});

/** Counts failures by reason, most frequent first, at most twenty. */
export function countByReason(sql: Sql, filter: FailedFilter, span: Span): Promise<FailedReason[]> {
  return reasons(sql, filter, span);
}
