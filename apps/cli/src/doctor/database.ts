import { checkMigrations, checkServer, type Sql, unreachable } from "@carillon/db";
import { checkSecretKey } from "@carillon/domain";
import { secretsOf } from "@carillon/model";
import { StartupError } from "@carillon/kit";

import { type Finding, failed, ok, warning } from "./finding.ts";
import { onClient } from "./on-client.ts";

/** Of the connections that a server takes. */
const nearlyAll = 0.8;

/** Whether PostgreSQL answers, is one that we run on, and keeps what sessions are told. */
export function examineDatabase(databaseUrl: string): Promise<Finding[]> {
  return onClient(databaseUrl, async (client) => {
    const { version } = await checkServer(client).catch((error: Error) => {
      throw error instanceof StartupError ? error : unreachable(databaseUrl, error);
    });
    const { rows } = await client.query<{ used: number; most: number; own: boolean }>(
      `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections')::int AS most, has_schema_privilege('public', 'CREATE') AS own`,
    );
    const { used = 0, most = 0, own = false } = rows[0] ?? {};
    const connections = `${used} of ${most} connections are used`;
    return [
      ok("database", `PostgreSQL ${version}`),
      own
        ? ok("rights", "the role may make tables")
        : failed("rights", "the role may not make tables in schema public: migrations fail"),
      used < most * nearlyAll
        ? ok("connections", connections)
        : warning("connections", connections),
    ];
  });
}

/** Whether the database is at this build's migrations. */
export function examineMigrations(databaseUrl: string): Promise<Finding[]> {
  return onClient(databaseUrl, async (client) => {
    await checkMigrations(client);
    return [ok("migrations", "those of this version")];
  });
}

/** Whether the key opens what the database has sealed. */
export async function examineSecretKey(
  sql: Sql,
  secretKey: string | undefined,
): Promise<Finding[]> {
  if (secretKey === undefined)
    return [failed("SECRET_KEY", "not set: gateways and workers do not start")];
  await checkSecretKey(sql, secretsOf(secretKey));
  return [ok("SECRET_KEY", "opens what the database has sealed")];
}
