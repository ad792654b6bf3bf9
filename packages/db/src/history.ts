/** Which history of data a primary continues. */
export interface History {
  /** PostgreSQL's `system_identifier`: the same for a primary and its standbys. */
  readonly cluster: string;
  /** Rises with each promotion. */
  readonly timeline: number;
}

/** Columns with the history of a server. `timeline` is null on a standby. */
export const historyColumns = `(SELECT system_identifier::text FROM pg_control_system()) AS cluster,
  CASE WHEN NOT pg_is_in_recovery()
    THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

/** Returns whether a server continues an older history than `latest`: another one was promoted after it. */
export function isOutdated(history: History, latest: History): boolean {
  return history.cluster === latest.cluster && history.timeline < latest.timeline;
}
