/** PostgreSQL's settings by name, as in `postgresql.conf`. */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * The server's default settings, for a laptop, with durable commits.
 * WAL compression is off: compressing the full-page images at the start of a burst took half a second of it.
 * Failed statements are not logged: the server would quote their values, which are user content, and Carillon logs
 * them without.
 * Autovacuum every 2 s keeps the queues' tables small, where rows come and go all the time.
 */
export const durableSettings: Settings = {
  shared_buffers: "128MB",
  max_connections: 120,
  autovacuum_naptime: "2s",
  wal_compression: "off",
  wal_buffers: "16MB",
  max_wal_size: "512MB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "log",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
};

/**
 * Settings for throw-away databases: no syncing to disk, and no autovacuum, which would change statistics and lock
 * tables at random times, and visit each of a hundred databases every two seconds.
 */
export const testSettings: Settings = {
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: 450,
};
