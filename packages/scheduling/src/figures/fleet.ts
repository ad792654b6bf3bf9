import { type Sql, statement } from "@carillon/db";

import { readCounters } from "./counters.ts";
import { type Lag, readLag } from "./lag.ts";

const counts = statement({
  name: "operator-fleet-counts",
  text: `SELECT (SELECT count(*) FROM job_intent WHERE state = 'dead') AS "deadLetters",
    (SELECT count(*) FROM bouncer_circuit WHERE no_calls_until IS NOT NULL) AS "bouncerAway"`,
});

const processes = statement({
  name: "operator-fleet-processes",
  text: `SELECT role, count(*)::int AS count FROM process_heartbeats
    WHERE last_seen > now() - interval '20 seconds' AND stopping_since IS NULL GROUP BY role`,
});

/** Figures of the whole installation that operators set alerts on. */
export interface Fleet {
  readonly lag: Lag;
  readonly deadLetters: number;
  /** 1 while the circuit to the push bouncer is open, else 0. */
  readonly bouncerAway: number;
  /** Processes by role, without those that are stopping or sent no heartbeat for 20 seconds. */
  readonly processes: ReadonlyMap<string, number>;
  readonly sweepRepairs: number;
  /** Series whose planned occurrence was missing. */
  readonly seriesRepaired: number;
}

/** Reads the figures from heads of indexes and small tables: cheap enough for every scrape. */
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
    seriesRepaired: counters.get("series_repaired") ?? 0,
  };
}
