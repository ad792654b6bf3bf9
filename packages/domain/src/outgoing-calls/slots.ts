import { lockKey, type Sql, statement, type Tx } from "@carillon/db";

/*
 * Calls in progress, and a circuit breaker for each endpoint, both by organization and origin, in rows that all workers
 * share (bot-platform.md §4.3). After five unanswered calls in a row the circuit opens for ten seconds, and twice as long
 * each further time, up to ten minutes. After that, one call at a time is admitted until one is answered.
 */

/** Maximum calls in progress of one organization. */
const maxOfOrganization = 20;

/** Maximum calls in progress of one organization to one origin. */
const maxOfOrigin = 4;

/** Unanswered calls in a row that open the circuit. */
const maxFailures = 5;

/** Seconds for which the circuit opens: the first time, and at most. */
const firstPause = 10;
const maxPause = 600;

/** The endpoint of a call, as the limits identify it. */
export interface Endpoint {
  readonly realmId: number;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** A call that may be made. */
export interface Slot {
  readonly slotId: number;
  /** Unanswered calls in a row so far. */
  readonly failures: number;
}

/** SQL: calls in progress of an organization, and to one of its origins. Slots of killed workers end by their time. */
const busy = (realm: string, origin: string) => `(
    SELECT count(*) AS "all", count(*) FILTER (WHERE b.origin = ${origin}) AS here
    FROM outgoing_slot b WHERE b.realm_id = ${realm} AND b.until > clock_timestamp())`;

/** SQL: how many calls at once the circuit of the row `o` admits. The row may be missing. */
const admitted = `CASE WHEN o.open_until > clock_timestamp() THEN 0
    WHEN o.failures >= ${maxFailures} THEN 1 ELSE ${maxOfOrigin} END`;

/**
 * SQL for a FROM clause, after rows `s` with `realm_id` and `origin`: keeps the rows whose endpoint may be called now.
 */
export const admittedEndpoints = `LEFT JOIN outgoing_origin o ON o.realm_id = s.realm_id AND o.origin = s.origin
    JOIN LATERAL ${busy("s.realm_id", "s.origin")} busy ON busy."all" < ${maxOfOrganization} AND busy.here < ${admitted}`;

/** SQL: whether the circuit of the row `o` is closed. The row may be missing. */
export const isCircuitClosed = `(${admitted}) = ${maxOfOrigin}`;

/** Writes the SQL of whether an organization has a free slot for an origin. @param realm SQL of its id */
export const isSlotFree = (realm: string, origin: string) => `(
    SELECT busy."all" < ${maxOfOrganization} AND busy.here < ${maxOfOrigin} FROM ${busy(realm, origin)} busy)`;

const take = statement({
  name: "outgoing-slot-take",
  text: `INSERT INTO outgoing_slot (realm_id, origin, until)
    SELECT s.realm_id, s.origin, clock_timestamp() + make_interval(secs => $3 / 1000.0)
    FROM (SELECT $1::int AS realm_id, $2::text AS origin) s ${admittedEndpoints}
    RETURNING id AS "slotId",
      coalesce((SELECT failures FROM outgoing_origin WHERE realm_id = $1 AND origin = $2), 0) AS failures`,
});

/**
 * Takes a slot for a call of the endpoint.
 * @param forMs milliseconds after which the slot is free, even if the call does not release it
 * @returns undefined if too many calls are in progress, or the circuit is open
 */
export async function takeSlot(
  tx: Tx,
  { realmId, origin }: Endpoint,
  forMs: number,
): Promise<Slot | undefined> {
  await lockKey(tx, "outgoingSlots", realmId);
  return tx.first(take, [realmId, origin, forMs]);
}

/** Whether the call is made to find out if an endpoint answers again. */
export function isTrial({ failures }: Pick<Slot, "failures">): boolean {
  return failures >= maxFailures;
}

const release = statement({
  name: "outgoing-slot-release",
  text: "DELETE FROM outgoing_slot WHERE id = $1",
});

/** Frees the slot of a call that has ended. */
export async function releaseSlot(sql: Sql, slotId: number): Promise<void> {
  await sql.rows(release, [slotId]);
}

/** SQL: whether a failure opens the circuit. `$3`: whether the circuit was open before the call. */
const opens = `($3 OR o.failures + 1 >= ${maxFailures} AND o.open_until IS NULL)`;

const failed = statement({
  name: "outgoing-circuit-failed",
  text: `INSERT INTO outgoing_origin AS o (realm_id, origin, failures) VALUES ($1, $2, 1)
    ON CONFLICT (realm_id, origin) DO UPDATE SET failures = least(o.failures + 1, 1000),
      pauses = o.pauses + ${opens}::int,
      open_until = CASE WHEN ${opens} THEN clock_timestamp() + make_interval(secs =>
        least(${maxPause}, ${firstPause} * 2 ^ least(o.pauses, 10))) ELSE o.open_until END
    RETURNING coalesce(extract(epoch FROM open_until - clock_timestamp()) * 1000, 0)::float8 AS "openMs"`,
});

/**
 * Records an unanswered call. Calls that were in progress when the circuit opened do not keep it open longer.
 * @param failures unanswered calls in a row when the call began
 * @returns milliseconds for which the circuit is open; 0 if it is closed
 */
export async function recordEndpointUnanswered(
  sql: Sql,
  { realmId, origin }: Endpoint,
  failures: number,
): Promise<number> {
  const [circuit] = await sql.rows(failed, [realmId, origin, isTrial({ failures })]);
  return Math.max(0, circuit?.openMs ?? 0);
}

const answered = statement({
  name: "outgoing-circuit-answered",
  text: "DELETE FROM outgoing_origin WHERE realm_id = $1 AND origin = $2",
});

/** Records a call that was answered, whatever the answer; needed only if unanswered calls preceded it. */
export async function recordEndpointAnswered(
  sql: Sql,
  { realmId, origin }: Endpoint,
): Promise<void> {
  await sql.rows(answered, [realmId, origin]);
}
