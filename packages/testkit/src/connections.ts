import type pg from "pg";

/** A pool or a connection of a database. */
type Queryable = pg.Pool | pg.ClientBase;

/**
 * The connections of Carillon's pools and processes to the current database, without the querying one, the server's
 * background workers, and other connections of the test.
 */
const ours = `FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
  AND backend_type = 'client backend' AND application_name LIKE 'carillon %' AND pid <> pg_backend_pid()`;

/** Counts the connections. */
export function countConnections(queryable: Queryable): Promise<number> {
  return count(queryable, `SELECT ${ours}`);
}

/** Counts the connections that wait for a lock. */
export function countWaiting(queryable: Queryable): Promise<number> {
  return count(queryable, `SELECT ${ours} AND wait_event_type = 'Lock'`);
}

/** Terminates all of them. Resolves to their number when they are gone. */
export function cutConnections(queryable: Queryable): Promise<number> {
  return count(queryable, `SELECT pg_terminate_backend(pid, 10000) ${ours}`);
}

async function count(queryable: Queryable, statement: string): Promise<number> {
  return (await (queryable as pg.Pool).query(statement)).rowCount ?? 0;
}
