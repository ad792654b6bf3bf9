import { statement, typed, type RowOf, type Sql } from "@carillon/db";

const processes = statement({
  name: "dashboard-processes",
  // `stopping`: It has received SIGTERM, and takes no new work.
  text: `SELECT process_id AS "processId", role, host, pid, counters,
      extract(epoch FROM now() - started_at)::float8 AS age,
      extract(epoch FROM now() - last_seen)::float8 AS "lastSeen",
      stopping_since IS NOT NULL AS stopping
    FROM process_heartbeats ORDER BY role, started_at LIMIT 500`,
  overrides: { counters: typed<Readonly<Record<string, unknown>>>() },
});

/** A process with heartbeats. Ages in seconds. */
export type ProcessRow = RowOf<typeof processes>;

/** Heartbeats are sent every 5 s; after four missed ones a process counts as silent. */
const silentAfter = 20;

/** Whether it sends heartbeats; stopping processes do until they exit. */
export function isAlive({ lastSeen }: ProcessRow): boolean {
  return lastSeen <= silentAfter;
}

/** Whether it accepts work. */
export function isServing(row: ProcessRow): boolean {
  return isAlive(row) && !row.stopping;
}

/** Whether it stopped sending heartbeats without SIGTERM. */
export function isLost(row: ProcessRow): boolean {
  return !isAlive(row) && !row.stopping;
}

/** Lists processes, with those that became silent within the last hour. */
export function readProcesses(sql: Sql): Promise<ProcessRow[]> {
  return sql.rows(processes);
}

/** Sums the counters of running processes, by role and counter: `worker.stalled`. */
export function sumCounters(processes: readonly ProcessRow[]): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  for (const { role, counters } of processes.filter(isAlive)) {
    const ofRole = sums.get(role) ?? new Map<string, number>();
    sums.set(role, ofRole);
    for (const [name, value] of Object.entries(counters)) {
      if (typeof value === "number") ofRole.set(name, (ofRole.get(name) ?? 0) + value);
    }
  }
  return sums;
}
