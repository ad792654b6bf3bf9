import type { Sql } from "@carillon/db";

/** Tables that any request may write to: client names and heartbeats. */
const always = ["clients", "process_heartbeats", "rate_hits"];
/** Tables in which a refused request may update rows, but not insert or delete them. */
const touched = ["event_queue"];

/** For each table: number of rows, and sum of the transactions that wrote them. */
export type Footprint = Readonly<Record<string, string>>;

/**
 * Returns a fingerprint of all tables, events and intents included; equal before and after work that changes nothing. One
 * statement of a few milliseconds on a test's small tables.
 */
export async function footprint(sql: Sql): Promise<Footprint> {
  const rows = await sql.rows<{ name: string; trace: string }>(await statementFor(sql));
  return Object.fromEntries(rows.map(({ name, trace }) => [name, trace]));
}

/** Runs the work. @returns its result, and the names of changed tables */
export async function changesOf<T>(
  sql: Sql,
  work: () => Promise<T>,
): Promise<{ result: T; tables: string[] }> {
  const before = await footprint(sql);
  const result = await work();
  const after = await footprint(sql);
  return { result, tables: Object.keys(after).filter((name) => after[name] !== before[name]) };
}

const statements = new WeakMap<Sql, Promise<string>>();

function statementFor(sql: Sql): Promise<string> {
  const known = statements.get(sql);
  if (known) return known;
  const made = tablesOf(sql).then((names) =>
    names
      .map((name) => {
        const written = touched.includes(name)
          ? ""
          : `|| '/' || coalesce(sum(xmin::text::bigint), 0)`;
        return `SELECT '${name}' AS name, count(*)::text ${written} AS trace FROM "${name}"`;
      })
      .join(" UNION ALL "),
  );
  statements.set(sql, made);
  return made;
}

async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = 'public' AND tablename <> ALL($1) ORDER BY tablename`,
    [always],
  );
  return rows.map(({ name }) => name);
}
