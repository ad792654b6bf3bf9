import type pg from "pg";

/** A database, asked over any of its connections. */
type Asked = pg.Pool | pg.ClientBase;

/**
 * The connections of Carillon's own pools and processes to the database that is asked, but for the one that asks:
 * neither the server's workers, such as those of autovacuum, nor what else a test has connected.
 */
const ours = `FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
  AND backend_type = 'client backend' AND application_name LIKE 'carillon %' AND pid <> pg_backend_pid()`;

/** How many there are. */
export function countConnections(asked: Asked): Promise<number> {
  return count(asked, `SELECT ${ours}`);
}

/** How many of them wait for a lock. */
export function countWaiting(asked: Asked): Promise<number> {
  return count(asked, `SELECT ${ours} AND wait_event_type = 'Lock'`);
}

/** Ends all of them, and resolves to how many once they are gone. */
export function cutConnections(asked: Asked): Promise<number> {
  return count(asked, `SELECT pg_terminate_backend(pid, 10000) ${ours}`);
}

async function count(asked: Asked, statement: string): Promise<number> {
  return (await (asked as pg.Pool).query(statement)).rowCount ?? 0;
}
