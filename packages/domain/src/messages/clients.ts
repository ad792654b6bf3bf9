import type { Sql } from "@carillon/db";

/**
 * Names of sending programs (http-contract.md §9). Rows are only ever added, so a process keeps those it has seen;
 * past the bound it forgets them all, which costs one look-up each.
 */
const bound = 10_000;
const ids = new WeakMap<object, Map<string, number>>();

/** The id of a program's name, at most 30 characters; adds it when new. What has a pool is remembered for that. */
export async function clientIdOf(
  sql: Sql & { readonly pool?: object },
  name: string,
): Promise<number> {
  const database = sql.pool ?? sql;
  let known = ids.get(database);
  if (!known || known.size > bound) ids.set(database, (known = new Map()));
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const [row] = await sql.rows<{ id: number }>(
    `WITH added AS (INSERT INTO clients (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM added UNION ALL SELECT id FROM clients WHERE name = $1 LIMIT 1`,
    [name],
  );
  if (!row) return clientIdOf(sql, name);
  known.set(name, row.id);
  return row.id;
}

const names = new WeakMap<object, Map<number, string>>();

/** The names of these programs, by id; those seen before cost nothing. `database` names the database of `sql`. */
export async function loadClientNames(
  sql: Sql,
  database: object,
  clientIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  let known = names.get(database);
  if (!known || known.size > bound) names.set(database, (known = new Map()));
  const unknown = new Set(clientIds.filter((id) => !known.has(id)));
  if (unknown.size > 0) {
    const rows = await sql.rows<{ id: number; name: string }>(
      "SELECT id, name FROM clients WHERE id = ANY($1::int[])",
      [[...unknown]],
    );
    for (const { id, name } of rows) known.set(id, name);
  }
  return known;
}
