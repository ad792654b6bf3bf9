import { loggedFaults } from "@carillon/contract";
import type { Sql } from "@carillon/db";

/** An event in an organization's log. */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly op: string | null;
  /** Fields as on the wire. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Ids of the receiving accounts; null for all active ones. */
  readonly audience: readonly number[] | null;
  /** What differs between receivers, by account id. */
  readonly userData: Readonly<Record<string, Record<string, unknown>>> | null;
}

/** Returns the number of the organization's last event, 0 before the first. */
export async function lastEventSeq(sql: Sql, realmId: number): Promise<number> {
  const rows = await sql.rows<{ seq: number }>("SELECT seq FROM event_head WHERE realm_id = $1", [
    realmId,
  ]);
  return rows[0]?.seq ?? 0;
}

/**
 * The events after number `seq`, in commit order.
 * @throws Error when one differs from its declaration
 */
export async function eventsSince(sql: Sql, realmId: number, seq: number): Promise<LoggedEvent[]> {
  const events = await sql.rows<LoggedEvent>(
    `SELECT seq, type, op, payload, audience, user_data AS "userData" FROM event_log
     WHERE realm_id = $1 AND seq > $2 ORDER BY seq`,
    [realmId, seq],
  );
  const faults = events.flatMap(loggedFaults);
  if (faults.length > 0) throw new Error(`not as declared: ${[...new Set(faults)].join("; ")}`);
  return events;
}

/** Returns the events that `work` emitted in the organization, with its result. Includes events of concurrent work. */
export async function eventsOf<T>(
  sql: Sql,
  realmId: number,
  work: () => Promise<T>,
): Promise<{ result: T; events: LoggedEvent[] }> {
  const seq = await lastEventSeq(sql, realmId);
  const result = await work();
  return { result, events: await eventsSince(sql, realmId, seq) };
}

/** Logs events for one account, each with a text of `length` characters, without a notification. */
export async function logEvents(
  sql: Sql,
  { realmId, userId }: { readonly realmId: number; readonly userId: number },
  count: number,
  length = 1,
): Promise<void> {
  await sql.rows(
    `WITH head AS (
       INSERT INTO event_head AS h (realm_id, seq) VALUES ($1, $3)
       ON CONFLICT (realm_id) DO UPDATE SET seq = h.seq + $3 RETURNING h.seq - $3 AS base
     )
     INSERT INTO event_log (realm_id, seq, type, payload, audience)
     SELECT $1, base + n, 'alert_words', json_build_object('alert_words', ARRAY[repeat('x', $4)]), ARRAY[$2::int]
     FROM head, generate_series(1, $3) n`,
    [realmId, userId, count, length],
  );
}

/** Returns the payload and audience of each event. */
export function announced(
  events: readonly LoggedEvent[],
): Array<Pick<LoggedEvent, "type" | "op" | "payload" | "audience">> {
  return events.map(({ type, op, payload, audience }) => ({ type, op, payload, audience }));
}
