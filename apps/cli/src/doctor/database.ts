import { checkMigrations, checkServer, type Sql, unreachable } from "@carillon/db";
import { checkSecretKey } from "@carillon/domain";
import { secretsOf } from "@carillon/model";
import { StartupError } from "@carillon/kit";

import { type Finding, failed, ok, warning } from "./finding.ts";
import { onClient } from "./on-client.ts";

/** Share of `max_connections` from which the doctor warns. */
const nearlyAll = 0.8;

/** Checks PostgreSQL's version, settings, rights and connections. */
export function examineDatabase(databaseUrl: string): Promise<Finding[]> {
  return onClient(databaseUrl, async (client) => {
    const { version } = await checkServer(client).catch((error: Error) => {
      throw error instanceof StartupError ? error : unreachable(databaseUrl, error);
    });
    const { rows } = await client.query<{ used: number; max: number; own: boolean }>(
      `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections')::int AS max, has_schema_privilege('public', 'CREATE') AS own`,
    );
    const { used = 0, max = 0, own = false } = rows[0] ?? {};
    const connections = `${used} of ${max} connections used`;
    return [
      ok("database", `PostgreSQL ${version}`),
      own
        ? ok("rights", "the role may create tables")
        : failed("rights", "the role may not create tables in schema public: migrations fail"),
      used < max * nearlyAll ? ok("connections", connections) : warning("connections", connections),
    ];
  });
}

/** Checks that the database has this build's migrations. */
export function examineMigrations(databaseUrl: string): Promise<Finding[]> {
  return onClient(databaseUrl, async (client) => {
    await checkMigrations(client);
    return [ok("migrations", "up to date")];
  });
}

/** Checks that SECRET_KEY decrypts the database's secrets. */
export async function examineSecretKey(
  sql: Sql,
  secretKey: string | undefined,
): Promise<Finding[]> {
  if (secretKey === undefined)
    return [failed("SECRET_KEY", "not set: gateways and workers refuse to start")];
  await checkSecretKey(sql, secretsOf(secretKey));
  return [ok("SECRET_KEY", "decrypts the database's secrets")];
}
