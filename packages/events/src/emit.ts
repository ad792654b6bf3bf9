import type { Tx } from "@carillon/db";

/** Something that clients are told. Fields are spelled as on the wire. */
export interface NewEvent {
  readonly type: string;
  readonly op?: string;
  /** Everything but `id`, `type`, `op` and what differs between receivers. */
  readonly payload: object;
  /** Who is told, decided by the transaction that makes the change: ids, their SQL array literal, or null for every active account. */
  readonly audience: readonly number[] | string | null;
  /** What differs between receivers, by exception: account id → fields. */
  readonly userData?: object;
}

/**
 * Appends events to the organization's log, in order. It must be the last statement of the changing transaction:
 * it locks the organization's head until the commit, so that the numbers of events follow the order of commits
 * without a gap (events.md §6).
 */
export async function emit(tx: Tx, realmId: number, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.rows(append, [
    realmId,
    events.length,
    events.map((event) => event.type),
    events.map((event) => event.op ?? null),
    events.map((event) => JSON.stringify(event.payload)),
    events.map((event) => arrayLiteral(event.audience)),
    events.map((event) => (event.userData ? JSON.stringify(event.userData) : null)),
  ]);
}

const append = {
  name: "event-append",
  text: `WITH head AS (
    UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1 RETURNING seq - $2 AS base
  )
  INSERT INTO event_log (realm_id, seq, type, op, payload, audience, user_data)
  SELECT $1, head.base + e.ord, e.type, e.op, e.payload::jsonb, e.audience::int[], e.user_data::jsonb
  FROM head, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    WITH ORDINALITY AS e (type, op, payload, audience, user_data, ord)`,
};

/** An audience as PostgreSQL writes an array: `{1,2}`. */
function arrayLiteral(audience: NewEvent["audience"]): string | null {
  return audience === null || typeof audience === "string" ? audience : `{${audience.join(",")}}`;
}
