import type { Audience, NewEvent } from "@carillon/contract";
import { packed, PostCommitTopic, statement, type Tx } from "@carillon/db";

/** Published after each commit that appended events; the message is the organization's id. */
export const eventsLogged = new PostCommitTopic<number>("events logged");

/**
 * Appends events to the organization's log, in order. The rows are inserted together with the COMMIT: the insert
 * locks the organization's head, so event numbers follow the order of commits without a gap (events.md §6), and other
 * transactions wait for that lock only as long as PostgreSQL takes to commit.
 */
export function emit(tx: Tx, realmId: number, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  tx.publishAfterCommit(eventsLogged, realmId);
  const values = [
    realmId,
    events.length,
    packed.texts(events.map(({ type }) => type)),
    packed.texts(events.map(({ op }) => op ?? null)),
    packed.jsons(events.map((event) => event.write())),
    packed.texts(events.map(({ audience }) => arrayLiteral(audience))),
    packed.jsons(events.map(({ userData }) => (userData ? JSON.stringify(userData) : null))),
  ];
  tx.sendWithCommit(append, values, { name: "eventHead", keys: [realmId] });
}

/**
 * `created_at` is the time of the commit, not of the transaction's start: no queue can read the event earlier, and its
 * age says how far a queue is behind.
 */
const append = statement({
  name: "event-append",
  text: `WITH head AS (
    UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1 RETURNING seq - $2 AS base
  )
  INSERT INTO event_log (realm_id, seq, type, op, payload, audience, user_data, created_at)
  SELECT $1, head.base + e.ord, e.type, e.op, e.payload, e.audience::int[], e.user_data::jsonb, clock_timestamp()
  FROM head, unnest($3::text[], $4::text[], $5::json[], $6::text[], $7::json[])
    WITH ORDINALITY AS e (type, op, payload, audience, user_data, ord)`,
});

/** Writes an audience as a PostgreSQL array literal: `{1,2}`. */
function arrayLiteral(audience: Audience): string | null {
  return audience === null || typeof audience === "string" ? audience : `{${audience.join(",")}}`;
}
