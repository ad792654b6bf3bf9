import type { Sql } from "@carillon/db";

/**
 * Names of sending programs (http-contract.md §9). Rows are only ever added, so a process keeps those it has seen;
 * past the bound it forgets them all, which costs one look-up each.
 */
const bound = 10_000;
const ids = new WeakMap<object, Map<string, number>>();

/** The id of a program's name, at most 30 characters; adds it when new. `pool` names the database: the cache is kept for it. */
export async function clientIdOf(pool: object & Sql, name: string): Promise<number> {
  let known = ids.get(pool);
  if (!known || known.size > bound) ids.set(pool, (known = new Map()));
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const [row] = await pool.rows<{ id: number }>(
    `WITH added AS (INSERT INTO clients (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM added UNION ALL SELECT id FROM clients WHERE name = $1 LIMIT 1`,
    [name],
  );
  if (!row) return clientIdOf(pool, name);
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
