import { column, statement, type RowOf, type Sql } from "@carillon/db";

const processes = statement({
  name: "dashboard-processes",
  text: `SELECT process_id AS "processId", role, host, pid, counters,
      extract(epoch FROM now() - started_at)::float8 AS age,
      extract(epoch FROM now() - last_seen)::float8 AS "lastSeen",
      stopping_since IS NOT NULL AS stopping
    FROM process_heartbeats ORDER BY role, started_at LIMIT 500`,
  row: {
    processId: column.uuid,
    role: column.text,
    host: column.text,
    pid: column.int,
    counters: column.json<Readonly<Record<string, unknown>>>(),
    age: column.float,
    lastSeen: column.float,
    /** It was told to stop: it takes no new work. */
    stopping: column.bool,
  },
});

/** A process that writes heartbeats. Ages in seconds. */
export type ProcessRow = RowOf<typeof processes.columns>;

/** Heartbeats come every 5 s: a process that missed four of them is silent. */
const silentAfter = 20;

/** Whether it beats; `stopping` ones do until they end. */
export function isAlive({ lastSeen }: ProcessRow): boolean {
  return lastSeen <= silentAfter;
}

/** Whether it takes work. */
export function isServing(row: ProcessRow): boolean {
  return isAlive(row) && !row.stopping;
}

/** Whether it fell silent without having been told to stop. */
export function isLost(row: ProcessRow): boolean {
  return !isAlive(row) && !row.stopping;
}

/** The processes, also those that fell silent within the last hour. */
export function readProcesses(sql: Sql): Promise<ProcessRow[]> {
  return sql.rows(processes);
}

/** Sums of the counters of the living, by role and counter: `worker.stalled`. */
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
