import { existsSync } from "node:fs";
import { join } from "node:path";

import type { BenchDatabase } from "./servers.ts";
import { startGateway, type RunningGateway } from "./system.ts";

/**
 * Starts the gateway of another, already built checkout on the same database. A build refuses to start with migrations
 * that it does not know, so this function hides them until the gateway has started. The other build must work with the
 * tables of this checkout.
 */
export async function startOtherGateway(
  of: BenchDatabase,
  checkout: string,
): Promise<RunningGateway> {
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
    return await startGateway(of, [], {}, checkout);
  } finally {
    await of.db.rows(
      "INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_recordset(NULL::_prisma_migrations, $1::jsonb)",
      [JSON.stringify(hidden.map(({ row }) => row))],
    );
  }
}
