import { statement, notNull, type Sql, type RowOf } from "@carillon/db";
import type { Cursor } from "../http/parameters.ts";
import { intentColumns, intentOverrides } from "../look-up/find-intents.ts";

/** Filter of dead letters; all given conditions must hold. */
export interface DeadFilter {
  readonly job?: string;
  readonly realmId?: number;
  /** A part of their last error, case-insensitive. */
  readonly error?: string;
}

export type DeadRow = RowOf<typeof page>;

export interface DeadPage {
  readonly rows: readonly DeadRow[];
  /** Cursor of the next page, if there is one. */
  readonly next: Cursor | undefined;
}

const pageSize = 50;

/** For `job_intent i`, with the values of {@link filterValues} from `$1`. */
export const filterCondition = `($1::text IS NULL OR i.job = $1) AND ($2::int IS NULL OR i.realm_id = $2)
  AND ($3::text IS NULL OR position(lower($3) IN lower(i.last_error)) > 0)`;

/** Returns the values of {@link filterCondition}, null for a part of the filter that is not given. */
export function filterValues({
  job,
  realmId,
  error,
}: DeadFilter): [string | null, number | null, string | null] {
  return [job ?? null, realmId ?? null, error ?? null];
}

const page = statement({
  name: "dead-letters",
  text: `SELECT ${intentColumns}, (extract(epoch FROM i.finished_at) * 1000000)::bigint AS "diedAt"
    FROM job_intent i
    WHERE i.state = 'dead' AND ${filterCondition}
      AND ($4::bigint IS NULL
        OR (i.finished_at, i.id) < (timestamptz 'epoch' + $4 * interval '1 microsecond', $5::bigint))
    ORDER BY i.finished_at DESC, i.id DESC LIMIT ${pageSize + 1}`,
  overrides: { ...intentOverrides, diedAt: notNull },
});

/** Lists dead letters, latest first. */
export async function listDead(sql: Sql, filter: DeadFilter, after?: Cursor): Promise<DeadPage> {
  const rows = await sql.rows(page, [
    ...filterValues(filter),
    after?.[0] ?? null,
    after?.[1] ?? null,
  ]);
  const shown = rows.slice(0, pageSize);
  const last = rows[pageSize - 1];
  const more = rows.length > pageSize && last !== undefined;
  return { rows: shown, next: more ? [last.diedAt, last.id] : undefined };
}

const byJob = statement({
  name: "dead-letters-by-job",
  text: "SELECT job, count(*) AS count FROM job_intent WHERE state = 'dead' GROUP BY job ORDER BY job",
});

/** Counts dead letters by job. */
export function countDead(sql: Sql): Promise<{ job: string; count: number }[]> {
  return sql.rows(byJob);
}
