import { column, type Sql, statement } from "@carillon/db";

import { readCounters } from "./counters.ts";
import { type Lag, readLag } from "./lag.ts";

const counts = statement({
  name: "operator-fleet-counts",
  text: `SELECT (SELECT count(*) FROM job_intent WHERE state = 'dead') AS "deadLetters",
    (SELECT count(*) FROM bouncer_circuit WHERE no_calls_until IS NOT NULL) AS "bouncerAway"`,
  row: { deadLetters: column.bigint, bouncerAway: column.bigint },
});

const processes = statement({
  name: "operator-fleet-processes",
  text: `SELECT role, count(*)::int AS count FROM process_heartbeats
    WHERE last_seen > now() - interval '20 seconds' AND stopping_since IS NULL GROUP BY role`,
  row: { role: column.text, count: column.int },
});

/** What operators are woken for, of the whole installation. */
export interface Fleet {
  readonly lag: Lag;
  readonly deadLetters: number;
  /** 1 while the push bouncer does not answer and is left alone, else 0. */
  readonly bouncerAway: number;
  /** Processes whose heartbeat is not older than 20 seconds and that were not told to stop, by role. */
  readonly processes: ReadonlyMap<string, number>;
  readonly sweepRepairs: number;
}

/** Reads heads of indexes and small tables only: any process may do so at each scrape. */
export async function readFleet(sql: Sql): Promise<Fleet> {
  const lag = await readLag(sql);
  const [count] = await sql.rows(counts);
  const roles = await sql.rows(processes);
  const counters = await readCounters(sql);
  return {
    lag,
    deadLetters: count?.deadLetters ?? 0,
    bouncerAway: count?.bouncerAway ?? 0,
    processes: new Map(roles.map(({ role, count: running }) => [role, running])),
    sweepRepairs: counters.get("sweep_repairs") ?? 0,
  };
}
