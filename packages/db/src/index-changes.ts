import pg from "pg";

/**
 * Migrations outside a transaction. PostgreSQL builds an index without blocking writers only outside a transaction
 * (`CREATE INDEX CONCURRENTLY`); a build that is interrupted leaves an invalid index. Such a migration therefore only
 * creates and drops indexes. Each step can be repeated, and the migration is recorded only when all steps are done.
 */

/** The first line of a migration that runs outside a transaction. */
const marker = "-- outside a transaction";

/** One statement of such a migration. */
export interface IndexChange {
  /** The index that it creates; undefined if it drops one. */
  readonly created: string | undefined;
  readonly sql: string;
}

const createIndex = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY "?([a-z_0-9]+)"? ON /i;
const dropIndex = /^DROP INDEX CONCURRENTLY IF EXISTS "?[a-z_0-9]+"?$/i;

/**
 * Returns the statements of a migration that begins with the marker; undefined for any other migration.
 * @throws Error when it has a statement that cannot be repeated after an interruption
 */
export function readIndexChanges(name: string, sql: string): IndexChange[] | undefined {
  if (sql.split("\n", 1)[0] !== marker) return undefined;
  const statements = sql
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter(Boolean);
  return statements.map((statement) => {
    const created = createIndex.exec(statement)?.[1];
    if (created === undefined && !dropIndex.test(statement))
      throw new Error(
        `migration ${name} runs outside a transaction: it may contain only CREATE INDEX CONCURRENTLY and DROP INDEX CONCURRENTLY IF EXISTS, not ${statement}`,
      );
    return { created, sql: statement };
  });
}

/** Makes the changes one by one: skips an index that is complete, and builds an invalid one again. */
export async function applyIndexChanges(
  client: pg.Client,
  changes: readonly IndexChange[],
): Promise<void> {
  for (const { created, sql } of changes) {
    if (created !== undefined) {
      const index = pg.escapeIdentifier(created);
      const { rows } = await client.query<{ valid: boolean }>(
        "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
        [index],
      );
      if (rows[0]?.valid) continue;
      if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
    }
    await client.query(sql);
  }
}

/** Makes the changes in the transaction that is open: for tables that no other session uses yet. */
export async function applyIndexChangesInTransaction(
  client: pg.Client,
  changes: readonly IndexChange[],
): Promise<void> {
  for (const { sql } of changes) await client.query(sql.replace(" CONCURRENTLY", ""));
}
