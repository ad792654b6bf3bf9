import { column, statement, type RowOf, type Sql } from "@carillon/db";

const processes = statement({
  name: "dashboard-processes",
  text: `SELECT process_id AS "processId", role, host, pid, counters,
      extract(epoch FROM now() - started_at)::float8 AS age,
      extract(epoch FROM now() - last_seen)::float8 AS "lastSeen"
    FROM process_heartbeats ORDER BY role, started_at LIMIT 500`,
  row: {
    processId: column.uuid,
    role: column.text,
    host: column.text,
    pid: column.int,
    counters: column.json<Readonly<Record<string, unknown>>>(),
    age: column.float,
    lastSeen: column.float,
  },
});

/** A process that writes heartbeats. Ages in seconds. */
export type ProcessRow = RowOf<typeof processes.columns>;

/** Heartbeats come every 5 s: who missed four of them is lost. */
const lostAfter = 20;

export function isAlive({ lastSeen }: ProcessRow): boolean {
  return lastSeen <= lostAfter;
}

/** The processes, also those that were lost within the last hour. */
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
