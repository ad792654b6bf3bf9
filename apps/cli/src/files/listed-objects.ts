import { type RowOf, type Sql, statement } from "@carillon/db";

// Objects in use, and the parts of unfinished uploads.
const used = `o.delete_after IS NULL OR o.key IN (SELECT object_key FROM resumable_parts)`;

const page = statement({
  name: "cli-objects-page",
  text: `SELECT o.key, a.size, a.sha256, a.path_id AS path
    FROM stored_objects o LEFT JOIN attachments a ON a.object_key = o.key
    WHERE o.key > $1 AND (${used}) ORDER BY o.key LIMIT $2`,
});

/** An object in use. Size, hash and path are those of its upload; null for other objects. */
export type ListedObject = RowOf<typeof page>;

/** Lists objects in use by ascending key. */
export function listObjects(sql: Sql, after: string, limit: number): Promise<ListedObject[]> {
  return sql.rows(page, [after, limit]);
}

const totals = statement({
  name: "cli-objects-total",
  text: `SELECT count(*)::int AS objects FROM stored_objects o WHERE ${used}`,
});

/** Counts the objects in use. */
export async function countObjects(sql: Sql): Promise<number> {
  return (await sql.rows(totals))[0]?.objects ?? 0;
}

const remaining = statement({
  name: "cli-objects-remaining",
  text: "SELECT key, delete_after IS NULL AS used FROM stored_objects WHERE key = ANY($1::text[])",
});

/** Returns, for the keys that still have a row in the ledger, whether the object is in use. */
export async function remainingObjects(
  sql: Sql,
  keys: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await sql.rows(remaining, [keys]);
  return new Map(rows.map((row) => [row.key, row.used]));
}
