import type { Audience, NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

/**
 * Appends events to the organization's log, in order. They are written with the commit of the changing transaction:
 * that locks the organization's head, so that the numbers of events follow the order of commits without a gap
 * (events.md §6), and nothing waits for the lock longer than PostgreSQL takes to commit.
 */
export function emit(tx: Tx, realmId: number, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  const rows = events.map(({ type, op, payload, audience, userData }) => ({
    type,
    op,
    payload,
    audience: arrayLiteral(audience),
    userData,
  }));
  tx.leave("events", realmId);
  tx.sendWithCommit(append, [realmId, events.length, JSON.stringify(rows)], {
    name: "eventHead",
    keys: [realmId],
  });
}

/**
 * One JSON text: payloads in an array of texts would be escaped twice and parsed twice. The time is that of the commit,
 * not of the transaction's beginning, since from then on a queue's place may be before it.
 */
const append = statement({
  name: "event-append",
  text: `WITH head AS (
    UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1 RETURNING seq - $2 AS base
  )
  INSERT INTO event_log (realm_id, seq, type, op, payload, audience, user_data, created_at)
  SELECT $1, head.base + e.ord, e.event->>'type', e.event->>'op', e.event->'payload',
    (e.event->>'audience')::int[], e.event->'userData', clock_timestamp()
  FROM head, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e (event, ord)`,
  row: {},
});

/** An audience as PostgreSQL writes an array: `{1,2}`. */
function arrayLiteral(audience: Audience): string | null {
  return audience === null || typeof audience === "string" ? audience : `{${audience.join(",")}}`;
}
