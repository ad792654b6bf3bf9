/** PostgreSQL's settings by name, as in `postgresql.conf`. */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * What the server runs with: sized for a laptop, every commit on disk before it is told.
 * Whole pages go into the log as they are: compressing the pages that a burst touches first took half a second of it.
 * Refused statements are not logged: the server quotes the values, which are people's messages, and we log them without.
 * Vacuuming every 2 s keeps the queues' tables small: jobs come and go there all the time.
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
 * For throw-away databases: nothing waits for the disk, and autovacuum does not decide when statistics change and
 * tables are locked, nor look at each of a hundred databases every two seconds.
 */
export const testSettings: Settings = {
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: 300,
};
