import { column, statement, type Sql } from "@carillon/db";
import { systemClock, type Clock } from "@carillon/kit";

import { type Finding, ok, warning } from "./finding.ts";

/** Seconds between two clocks that are worth a warning, as in the dashboard. */
const worrying = 1;

const clock = statement({
  name: "doctor-clock",
  text: "SELECT extract(epoch FROM clock_timestamp())::float8 AS now",
  row: { now: column.float },
});

const processes = statement({
  name: "doctor-processes",
  text: `SELECT role || ' ' || pid || ' on ' || host AS name, clock_ahead AS ahead FROM process_heartbeats
    WHERE last_seen > now() - interval '20 seconds' ORDER BY 1`,
  row: { name: column.text, ahead: column.float.orNull() },
});

/**
 * How far the clocks of this machine and of the running processes are from the database's.
 * @param own this machine's
 */
export async function examineClocks(sql: Sql, own: Clock = systemClock): Promise<Finding[]> {
  const sent = own.now();
  const [database] = await sql.rows(clock);
  const here = (sent + own.now()) / 2_000 - (database?.now ?? 0);
  const running = await sql.rows(processes);
  return [
    told("this machine", here),
    ...running.flatMap(({ name, ahead }) => (ahead === null ? [] : [told(name, ahead)])),
    running.length === 0
      ? warning("processes", "none is running")
      : ok("processes", `${running.length} are running`),
  ];
}

function told(name: string, ahead: number): Finding {
  const text = `${Math.abs(ahead).toFixed(1)} s ${ahead < 0 ? "behind" : "ahead of"} the database's`;
  return Math.abs(ahead) < worrying
    ? ok(`clock of ${name}`, text)
    : warning(`clock of ${name}`, text);
}
