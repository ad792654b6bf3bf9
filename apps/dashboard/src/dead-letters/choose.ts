import { statement, type Sql } from "@carillon/db";
import { filterCondition, filterValues } from "./list.ts";
import type { Choice } from "./request.ts";

/** Conditions on `job_intent i` for both kinds of choices, with the values `$1` to `$3`. */
export const conditions = {
  chosen: `i.id = ANY($1::bigint[]) AND $3::text IS NULL
    AND (i.id, i.version) IN (SELECT c.id, coalesce(c.version, i.version) FROM unnest($1::bigint[], $2::int[]) AS c (id, version))`,
  matching: filterCondition,
} as const;

/** Returns the condition of a choice, and its values. */
export function chosenBy(choice: Choice): {
  readonly by: keyof typeof conditions;
  readonly values: readonly unknown[];
} {
  if ("matching" in choice) return { by: "matching", values: filterValues(choice.matching) };
  const { chosen } = choice;
  return {
    by: "chosen",
    values: [chosen.map(({ id }) => id), chosen.map(({ version }) => version), null],
  };
}

/** Limit of rows in a preview and an action. */
export const maxAtOnce = 10_000;

const groups = (
  name: "dead-letters-preview-chosen" | "dead-letters-preview-matching",
  condition: string,
) =>
  statement({
    name,
    text: `SELECT g.job, g.realm_id AS "realmId", r.name AS "realmName", g.count
      FROM (SELECT job, realm_id, count(*)::int AS count
        FROM (SELECT i.job, i.realm_id FROM job_intent i
          WHERE i.state = 'dead' AND ${condition} ORDER BY i.finished_at, i.id LIMIT ${maxAtOnce}) i
        GROUP BY job, realm_id) g LEFT JOIN realms r ON r.id = g.realm_id
      ORDER BY g.count DESC, g.job, g.realm_id LIMIT 100`,
  });

const groupsOf = {
  chosen: groups("dead-letters-preview-chosen", conditions.chosen),
  matching: groups("dead-letters-preview-matching", conditions.matching),
};

const clock = statement({
  name: "database-clock",
  text: "SELECT (extract(epoch FROM now()) * 1000000)::bigint AS now",
});

/** Returns the database's time in microseconds of the UNIX epoch. */
export async function databaseMicros(sql: Sql): Promise<number> {
  const [row] = await sql.rows(clock);
  return row!.now;
}

/** Effect of a choice, by job and organization. */
export interface Preview {
  /** Time of the preview, in microseconds of the UNIX epoch; later dead letters are excluded. */
  readonly before: number;
  readonly groups: ReadonlyArray<{
    readonly job: string;
    readonly realmId: number | null;
    readonly realmName: string | null;
    readonly count: number;
  }>;
  readonly count: number;
}

/** Computes the effect of a choice. Changes nothing. */
export async function preview(sql: Sql, choice: Choice): Promise<Preview> {
  const { by, values } = chosenBy(choice);
  const before = await databaseMicros(sql);
  const rows = await sql.rows(groupsOf[by], values);
  return { before, groups: rows, count: rows.reduce((sum, { count }) => sum + count, 0) };
}
