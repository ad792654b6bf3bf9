import { statement, type Sql } from "@carillon/db";
import { systemClock, type Clock } from "@carillon/kit";

import { type Finding, ok, warning } from "./finding.ts";

/** Seconds of clock skew from which the doctor warns, as the dashboard does. */
const worryingSkew = 1;

const clock = statement({
  name: "doctor-clock",
  text: "SELECT extract(epoch FROM clock_timestamp())::float8 AS now",
});

const processes = statement({
  name: "doctor-processes",
  text: `SELECT role || ' ' || pid || ' on ' || host AS name, clock_ahead AS ahead FROM process_heartbeats
    WHERE last_seen > now() - interval '20 seconds' ORDER BY 1`,
});

/**
 * Compares the clocks of this machine and of the running processes with the database's.
 * @param own the clock of this machine
 */
export async function examineClocks(sql: Sql, own: Clock = systemClock): Promise<Finding[]> {
  const sent = own.now();
  const [database] = await sql.rows(clock);
  const here = (sent + own.now()) / 2_000 - (database?.now ?? 0);
  const running = await sql.rows(processes);
  return [
    clockFinding("this machine", here),
    ...running.flatMap(({ name, ahead }) => (ahead === null ? [] : [clockFinding(name, ahead)])),
    running.length === 0
      ? warning("processes", "none running")
      : ok("processes", `${running.length} running`),
  ];
}

function clockFinding(name: string, ahead: number): Finding {
  const text = `${Math.abs(ahead).toFixed(1)} s ${ahead < 0 ? "behind" : "ahead of"} the database's`;
  return Math.abs(ahead) < worryingSkew
    ? ok(`clock of ${name}`, text)
    : warning(`clock of ${name}`, text);
}
