import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import { type Sql, statement } from "@carillon/db";
import { heartbeat, type ProcessName } from "@carillon/jobs";

import type { RecurringTask } from "./recurring-task.ts";

/** The heartbeat of a process, as recurring work. */
export interface Heartbeat extends RecurringTask {
  readonly processId: string;
  beat(sql: Sql): Promise<void>;
  /** Marks the row as stopping on purpose, so that missing heartbeats from now on raise no alert. */
  announceStop(sql: Sql): Promise<void>;
  /** Removes the row. */
  end(sql: Sql): Promise<void>;
}

/**
 * Features that the previous release does not know: it would treat scheduled messages with conditions and those of a series
 * as ordinary ones, and take deferred copies for missing ones. Each process lists the features of its build in its row of
 * `process_heartbeats`; earlier builds list none.
 */
const features = ["conditions", "series", "deferredCopies"] as const;

type Feature = (typeof features)[number];

/** Seconds since its last heartbeat for which a process may still be running. */
const runningSeconds = 60;

const lacking = statement({
  name: "heartbeats-lacking",
  text: `SELECT role || ' ' || pid || ' on ' || host AS name FROM process_heartbeats
    WHERE role IN ('gateway', 'worker') AND last_seen > now() - interval '${runningSeconds} seconds'
      AND NOT features @> ARRAY[$1::text] ORDER BY 1`,
});

/** Returns role, process id and host of each running gateway or worker whose build lacks the feature. */
export async function olderProcesses(sql: Sql, feature: Feature): Promise<string[]> {
  const rows = await sql.rows(lacking, [feature]);
  return rows.map(({ name }) => name);
}

/** Whether a gateway or a worker runs whose build lacks the feature, so that what needs it must be refused. */
export async function runsOlderProcess(sql: Sql, feature: Feature): Promise<boolean> {
  return (await olderProcesses(sql, feature)).length > 0;
}

/** Seconds without a heartbeat after which a row is deleted, because its process has crashed. */
const deletedAfterSeconds = 3_600;

const write = statement({
  name: "heartbeat",
  text: `WITH deleted AS (
      DELETE FROM process_heartbeats WHERE last_seen < now() - interval '${deletedAfterSeconds} seconds'
        AND process_id <> $1)
    INSERT INTO process_heartbeats (process_id, role, host, pid, started_at, counters, clock_ahead, features)
    VALUES ($1, $2, $3, $4, now() - make_interval(secs => $5), $6, $7, $8)
    ON CONFLICT (process_id) DO UPDATE SET last_seen = now(), counters = excluded.counters,
      clock_ahead = excluded.clock_ahead
    RETURNING extract(epoch FROM clock_timestamp())::float8 AS "databaseTime"`,
});

const announce = statement({
  name: "heartbeat-stopping",
  text: `UPDATE process_heartbeats SET stopping_since = coalesce(stopping_since, now()), last_seen = now()
    WHERE process_id = $1`,
});

const remove = statement({
  name: "heartbeat-remove",
  text: "DELETE FROM process_heartbeats WHERE process_id = $1",
});

/**
 * Creates the heartbeat of this process, a row of `process_heartbeats`. A failing heartbeat does not stop the process.
 * @param counters read at every beat; numbers and short names only, since they are stored in plain text and shown
 */
export function heartbeatOf(role: ProcessName, counters: () => object = () => ({})): Heartbeat {
  const processId = randomUUID();
  let clockAhead: number | null = null;
  const beat = async (sql: Sql): Promise<void> => {
    const values = [processId, role, hostname(), process.pid, process.uptime()];
    const sent = Date.now();
    const [row] = await sql.rows(write, [
      ...values,
      JSON.stringify(counters()),
      clockAhead,
      features,
    ]);
    // The database read its clock at some time between our two readings.
    if (row) clockAhead = (sent + Date.now()) / 2_000 - row.databaseTime;
  };
  return {
    definition: heartbeat,
    processId,
    beat,
    run: ({ db }) => beat(db),
    announceStop: async (sql) => {
      await sql.rows(announce, [processId]);
    },
    end: async (sql) => {
      await sql.rows(remove, [processId]);
    },
  };
}
