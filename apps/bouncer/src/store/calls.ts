import { statement, typed, type Sql } from "@carillon/db";

/**
 * State of a notification of a call. `handing`: being handed over, or was when the process died. `unsure`: may have been
 * handed over. Notifications in these two states are never handed over again; those in `undelivered` are.
 */
export type NotificationState = "handing" | "sent" | "dead" | "refused" | "unsure" | "undelivered";

/** States by notification name: token id, key id, and index among the device's. */
export type NotificationStates = Readonly<Record<string, NotificationState>>;

/** Primary key of a call: its server and the server's key for it. */
export interface CallName {
  readonly serverId: string;
  readonly idempotencyKey: string;
}

/** Lease of a call, in seconds. Even a call that takes longer, because a provider is slow, sends no notification twice. */
const holdSeconds = 30;
const keptHours = 24;

const claim = statement({
  name: "bouncer-call-claim",
  text: `INSERT INTO notify_call (server_id, idempotency_key, devices, holder, held_until)
    VALUES ($1, $2, $3::jsonb, $4, now() + interval '${holdSeconds} seconds')
    ON CONFLICT (server_id, idempotency_key) DO UPDATE
      SET holder = excluded.holder, held_until = excluded.held_until
      WHERE notify_call.held_until IS NULL OR notify_call.held_until < now()
    RETURNING devices, created_at = now() AS fresh`,
  overrides: { devices: typed<NotificationStates>() },
});

const mark = statement({
  name: "bouncer-call-mark",
  text: `UPDATE notify_call SET devices = devices || $4::jsonb
    WHERE server_id = $1 AND idempotency_key = $2 AND holder = $3 RETURNING holder`,
});

/** Records the outcomes even if another process holds the call, because the handover has happened. */
const record = statement({
  name: "bouncer-call-record",
  text: `UPDATE notify_call SET devices = devices || $4::jsonb,
      held_until = CASE WHEN holder = $3 AND $5 THEN NULL ELSE held_until END
    WHERE server_id = $1 AND idempotency_key = $2`,
});

const clear = statement({
  name: "bouncer-calls-clear",
  text: `DELETE FROM notify_call WHERE (server_id, idempotency_key) IN (
      SELECT server_id, idempotency_key FROM notify_call
      WHERE created_at < now() - interval '${keptHours} hours'
      ORDER BY created_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING server_id`,
});

/**
 * Claims a call for this process.
 * @param holder unique id of the claim
 * @param states states to record if the call is new
 * @returns the recorded states; undefined while another process holds the call
 */
export async function claimCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  states: NotificationStates,
): Promise<{ devices: NotificationStates; fresh: boolean } | undefined> {
  const [row] = await sql.rows(claim, [serverId, idempotencyKey, JSON.stringify(states), holder]);
  return row;
}

/**
 * Records the batch that is about to be handed over.
 * @returns false if another process holds the call: then the batch must not be handed over
 */
export async function markCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  states: NotificationStates,
): Promise<boolean> {
  const rows = await sql.rows(mark, [serverId, idempotencyKey, holder, JSON.stringify(states)]);
  return rows.length > 0;
}

/** Records outcomes. @param over whether the call is finished and its lease ends */
export async function recordCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  states: NotificationStates,
  over: boolean,
): Promise<void> {
  await sql.rows(record, [serverId, idempotencyKey, holder, JSON.stringify(states), over]);
}

/** Deletes calls older than a day. @param limit maximum number @returns the number of deleted calls */
export async function clearCalls(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(clear, [limit])).length;
}
