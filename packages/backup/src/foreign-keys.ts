import type pg from "pg";

import { ask } from "./connect.ts";

/** A foreign key with its definition for `ALTER TABLE`. */
export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Drops all foreign keys. Tables refer to each other in cycles, so no order of copying satisfies the keys. */
export async function dropForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const keys = await ask<ForeignKey>(
    client,
    `SELECT t.relname AS table, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
     WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  );
  for (const { table, name } of keys)
    await ask(client, `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
  return keys;
}

/** Adds the foreign keys again, which validates every row. */
export async function restoreForeignKeys(
  client: pg.Client,
  keys: readonly ForeignKey[],
): Promise<void> {
  for (const { table, name, definition } of keys)
    await ask(client, `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${definition}`);
}
