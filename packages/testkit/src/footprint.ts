import type { Sql } from "@carillon/db";

/** Tables that a request writes to whatever comes of it: its client's name, and when somebody was last there. */
const always = ["clients", "process_heartbeats", "rate_hits"];
/** Tables in which a refused request may touch a row, but make or remove none. */
const touched = ["event_queue"];

/** Of each table: how many rows it has, and the sum of the transactions that wrote them. */
export type Footprint = Readonly<Record<string, string>>;

/**
 * What a database has in its tables, rows of every organization, events and intents among them: equal before and after
 * what changes nothing. One statement, in a few milliseconds on the small tables of a test.
 */
export async function footprint(sql: Sql): Promise<Footprint> {
  const rows = await sql.rows<{ name: string; trace: string }>(await statementFor(sql));
  return Object.fromEntries(rows.map(({ name, trace }) => [name, trace]));
}

/** Does the work. @returns its result, and the tables that are not as they were before, by name */
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
