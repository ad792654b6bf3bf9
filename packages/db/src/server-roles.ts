import { databaseHosts, StartupError, urlOfHost, type DatabaseHost } from "@carillon/kit";

import { DatabaseClient } from "./database-client.ts";
import { historyColumns, type History } from "./history.ts";

/** Milliseconds for the answer of one server. */
const answerMs = 2_000;

/** The role of one of a URL's servers at this moment. */
export interface ServerRole extends DatabaseHost, Partial<History> {
  /** The error of the connection or the query; undefined if the server has answered. */
  readonly problem?: string;
  readonly acceptsWrites?: boolean;
  /** The position in the WAL, in bytes: what a primary has written, or a standby has received. */
  readonly position?: number;
}

const role = `SELECT current_setting('transaction_read_only') = 'off' AS "acceptsWrites",
  ${historyColumns},
  pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END,
    '0/0')::float8 AS position`;

/** Queries the role of each server of the URL, all at once. */
export function serverRoles(databaseUrl: string): Promise<ServerRole[]> {
  return Promise.all(
    databaseHosts(databaseUrl).map(async (host, i) => {
      const client = new DatabaseClient({
        connectionString: urlOfHost(databaseUrl, i),
        connectionTimeoutMillis: answerMs,
        query_timeout: answerMs,
        application_name: "carillon server check",
      });
      client.on("error", () => {});
      try {
        await client.connect();
        const { rows } = await client.query<Omit<ServerRole, "problem">>(role);
        return { ...host, ...rows[0] };
      } catch (error) {
        return { ...host, problem: (error as { code?: string }).code ?? (error as Error).message };
      } finally {
        void client.end().catch(() => {});
      }
    }),
  );
}

/** Returns the problem if more than one server accepts writes, as the end of an error; else undefined. */
export function conflictOf(roles: readonly ServerRole[]): string | undefined {
  const primaries = roles.filter(({ acceptsWrites }) => acceptsWrites);
  if (primaries.length < 2) return undefined;
  const names = primaries.map(
    ({ host, port, timeline }) => `${host}:${port} (timeline ${timeline})`,
  );
  return `${names.length} of its servers accept writes, ${names.join(" and ")}: stop all but the one that was promoted last, which has the highest timeline, and make them standbys of it`;
}

/**
 * Checks before a process starts that at most one server of the URL accepts writes. Otherwise processes could write to
 * different servers.
 * @throws StartupError naming the variable and the servers
 */
export async function refuseTwoPrimaries(databaseUrl: string, variable: string): Promise<void> {
  if (databaseHosts(databaseUrl).length < 2) return;
  const conflict = conflictOf(await serverRoles(databaseUrl));
  if (conflict) throw new StartupError(`${variable}: ${conflict}`);
}
