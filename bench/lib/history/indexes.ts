import type { Database } from "@carillon/db";
import { say } from "../report.ts";

const indexesText = `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS index,
    i.indrelid::regclass::text AS table, pg_get_constraintdef(c.oid) AS constraint
  FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
  WHERE i.indrelid = ANY ($1::regclass[]) ORDER BY 1`;

interface Index {
  readonly name: string;
  readonly table: string;
  readonly index: string;
  /** The definition of the primary key that the index belongs to; null for other indexes. */
  readonly constraint: string | null;
}

/**
 * Fills tables without their indexes and then builds the indexes. Building an index sorts all rows once, instead of
 * inserting millions of entries in random order.
 */
export async function withoutIndexes(
  db: Database,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const indexes = await db.rows<Index>(indexesText, [tables]);
  for (const { name, table, constraint } of indexes)
    await db.rows(
      constraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`,
    );
  await fill();
  for (const { name, table, index, constraint } of indexes) {
    await db.transaction(async (tx) => {
      await tx.rows("SET LOCAL maintenance_work_mem = '512MB'");
      await tx.rows(
        constraint ? `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${constraint}` : index,
      );
    });
    say(`index ${name} built`);
  }
}
