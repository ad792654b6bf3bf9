import { StartupError } from "@carillon/kit";
import type pg from "pg";

/** The oldest PostgreSQL that Carillon runs on (docs/operating.md). */
export const oldestPostgres = 15;

/** The server behind a connection. */
export interface Server {
  /** As the server says, such as `18.1 (Debian 18.1-1)`. */
  readonly version: string;
  /** PostgreSQL's `server_version_num`. */
  readonly number: number;
}

/**
 * Reads the version of the server and checks that Carillon runs on it.
 * @throws StartupError naming DATABASE_URL: too old, or with a locale that folds case in ASCII only
 */
export async function checkServer(sql: { query: pg.Pool["query"] }): Promise<Server> {
  const { rows } = await sql.query<Server & { folds: boolean }>(
    `SELECT lower('Ä') = 'ä' AS folds, current_setting('server_version') AS version,
       current_setting('server_version_num')::int AS number`,
  );
  const [server] = rows;
  if (!server) throw new Error("the server returned no row");
  if (server.number < oldestPostgres * 10_000) {
    throw new StartupError(
      `DATABASE_URL: PostgreSQL ${server.version} is too old; Carillon needs version ${oldestPostgres} or later`,
    );
  }
  if (!server.folds) {
    throw new StartupError(
      "DATABASE_URL: the database's locale does not fold letters beyond ASCII; create it with a UTF-8 locale such as C.UTF-8",
    );
  }
  return server;
}
