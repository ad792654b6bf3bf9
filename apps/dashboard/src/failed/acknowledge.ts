import { statement, type Database } from "@carillon/db";
import { failedByServer } from "@carillon/scheduling";
import { BadParameter, given, whole } from "../http/parameters.ts";

/** Faults by which an operator acknowledges failures. */
export const faults = ["server", "people"] as const;
export type Fault = (typeof faults)[number];

export interface Acknowledgement {
  readonly fault: Fault;
  /** Only failures up to this time, microseconds of the UNIX epoch: later ones were not on the page. */
  readonly until: number;
}

/** Reads from a form which failures the operator acknowledges. @throws BadParameter */
export function readAcknowledgement(fields: URLSearchParams): Acknowledgement {
  const fault = faults.find((name) => name === fields.get("fault"));
  if (!fault) throw new BadParameter(`fault must be one of ${faults.join(", ")}`);
  return { fault, until: whole("until", given(fields, "until") ?? "") };
}

const acknowledge = statement({
  name: "failures-acknowledge",
  text: `WITH acknowledged AS (
      UPDATE delivery_failures f SET acknowledged_at = now(), acknowledged_by = left($3, 100)
      WHERE f.failed_at > now() - interval '1 hour' AND f.acknowledged_at IS NULL
        AND f.failed_at <= timestamptz 'epoch' + $2::bigint * interval '1 microsecond'
        AND (${failedByServer("f")}) = $1::bool
      RETURNING f.realm_id
    ), realms AS (
      SELECT realm_id, count(*)::int AS count FROM acknowledged GROUP BY realm_id
    ), audited AS (
      INSERT INTO audit_log (realm_id, event_type, extra_data)
      SELECT realm_id, 'failures_acknowledged', jsonb_build_object('count', count, 'operator', $3::text,
        'fault', CASE WHEN $1 THEN 'server' ELSE 'people' END)
      FROM realms
    )
    SELECT coalesce(sum(count), 0)::int AS count FROM realms`,
});

/**
 * Acknowledges the failures of the last hour: the verdict and the alerts no longer count them; the list keeps them.
 * @param operator their name, for the row and the audit log
 * @returns the number of failures; 0 when repeated
 */
export async function acknowledgeFailures(
  db: Database,
  { fault, until }: Acknowledgement,
  operator: string,
): Promise<number> {
  const row = await db.transaction((tx) =>
    tx.first(acknowledge, [fault === "server", until, operator]),
  );
  return row?.count ?? 0;
}
