import { existsSync } from "node:fs";
import { join } from "node:path";

import type { BenchDatabase } from "./servers.ts";
import type { Child } from "./child.ts";
import { startGateway, startWorker, type RunningGateway } from "./system.ts";

/**
 * Starts the gateway of another, already built checkout on the same database. The other build must work with the tables
 * of this checkout.
 */
export function startOtherGateway(of: BenchDatabase, checkout: string): Promise<RunningGateway> {
  return withoutUnknownMigrations(of, checkout, () => startGateway(of, [], {}, checkout));
}

/** Starts the worker of another checkout in the same way. */
export function startOtherWorker(of: BenchDatabase, checkout: string): Promise<Child> {
  return withoutUnknownMigrations(of, checkout, () => startWorker(of, [], {}, checkout));
}

/** A build refuses to start with migrations that it does not know: hides them until it has started. */
async function withoutUnknownMigrations<T>(
  of: BenchDatabase,
  checkout: string,
  start: () => Promise<T>,
): Promise<T> {
  const names = await of.db.rows<{ name: string }>(
    "SELECT migration_name AS name FROM _prisma_migrations",
  );
  const unknown = names.flatMap(({ name }) =>
    existsSync(join(checkout, "prisma/migrations", name)) ? [] : [name],
  );
  const hidden = await of.db.rows<{ row: object }>(
    `DELETE FROM _prisma_migrations m WHERE migration_name = ANY($1::text[]) RETURNING to_jsonb(m) AS row`,
    [unknown],
  );
  try {
    return await start();
  } finally {
    await of.db.rows(
      "INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_recordset(NULL::_prisma_migrations, $1::jsonb)",
      [JSON.stringify(hidden.map(({ row }) => row))],
    );
  }
}
