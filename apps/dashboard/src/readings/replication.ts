import { statement, type RowOf, type Sql } from "@carillon/db";

const primary = statement({
  name: "dashboard-primary",
  // `address` is null for a local socket.
  text: `SELECT host(inet_server_addr()) AS address, inet_server_port() AS port,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline,
      current_setting('synchronous_standby_names') <> '' AS "commitsWait"`,
});

const standbys = statement({
  name: "dashboard-standbys",
  // `isSynchronous` is null if the database user may not see standbys. The view also lists base backups.
  // `behindBytes` is the WAL that the standby has not replayed. `behindSeconds` is null while a standby that has replayed
  // everything is idle.
  text: `SELECT application_name AS name, host(client_addr) AS address, state,
      sync_state IN ('sync', 'quorum') AS "isSynchronous",
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 AS "behindBytes",
      extract(epoch FROM replay_lag)::float8 AS "behindSeconds"
    FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'
    ORDER BY application_name, pid LIMIT 50`,
});

/** A standby that is connected to the primary. */
export type StandbyRow = RowOf<typeof standbys>;

/** The PostgreSQL server that this process uses, and its standbys. */
export interface Replication extends RowOf<typeof primary> {
  readonly standbys: readonly StandbyRow[];
}

/**
 * Reads the address of the primary, and which standbys follow it.
 * @throws PostgreSQL's error if the server is a standby
 */
export async function readReplication(sql: Sql): Promise<Replication> {
  const rows = await sql.rows(standbys);
  return { ...(await sql.rows(primary))[0]!, standbys: rows };
}

/**
 * Returns whether every commit waits for a synchronous standby, and none is connected. False if the database user may not
 * see standbys.
 */
export function lacksStandby({ commitsWait, standbys: rows }: Replication): boolean {
  return (commitsWait ?? false) && !rows.some(({ isSynchronous }) => isSynchronous !== false);
}
