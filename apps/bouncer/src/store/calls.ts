import { column, statement, type Sql } from "@carillon/db";

/**
 * What became of a notification of a call. `handing`: it is being handed over, or was when the process died. `unsure`: it may
 * have been. Neither is ever handed over again; `undelivered`, which the provider has certainly not taken, is.
 */
export type Fate = "handing" | "sent" | "dead" | "refused" | "unsure" | "undelivered";

/** By the notification: the id of the device's token and of its key, and which of the device's it is. */
export type Fates = Readonly<Record<string, Fate>>;

/** A call, by whose it is and what its server calls it. */
export interface CallName {
  readonly serverId: string;
  readonly idempotencyKey: string;
}

/**
 * For so long, in seconds, nobody else works on a call. One that takes longer, because a provider wants new credentials
 * and is slow, hands over nothing twice all the same.
 */
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
  row: { devices: column.json<Fates>(), fresh: column.bool },
});

const mark = statement({
  name: "bouncer-call-mark",
  text: `UPDATE notify_call SET devices = devices || $4::jsonb
    WHERE server_id = $1 AND idempotency_key = $2 AND holder = $3 RETURNING holder`,
  row: { holder: column.uuid.orNull() },
});

/** What was handed over was, also where somebody else holds the call meanwhile. */
const record = statement({
  name: "bouncer-call-record",
  text: `UPDATE notify_call SET devices = devices || $4::jsonb,
      held_until = CASE WHEN holder = $3 AND $5 THEN NULL ELSE held_until END
    WHERE server_id = $1 AND idempotency_key = $2`,
  row: {},
});

const clear = statement({
  name: "bouncer-calls-clear",
  text: `DELETE FROM notify_call WHERE (server_id, idempotency_key) IN (
      SELECT server_id, idempotency_key FROM notify_call
      WHERE created_at < now() - interval '${keptHours} hours'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING server_id`,
  row: { server_id: column.uuid },
});

/**
 * Takes a call upon oneself.
 * @param holder a name of one's own
 * @param fates of its notifications, which are written where the call is new
 * @returns what is known of its notifications; undefined while somebody else works on it
 */
export async function claimCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  fates: Fates,
): Promise<{ devices: Fates; fresh: boolean } | undefined> {
  const [row] = await sql.rows(claim, [serverId, idempotencyKey, JSON.stringify(fates), holder]);
  return row;
}

/** Writes what is about to be done. @returns false where somebody else has the call by now: then it must not be done */
export async function markCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  fates: Fates,
): Promise<boolean> {
  const rows = await sql.rows(mark, [serverId, idempotencyKey, holder, JSON.stringify(fates)]);
  return rows.length > 0;
}

/** Writes what was done. @param over whether the call is over, so that others may take it */
export async function recordCall(
  sql: Sql,
  { serverId, idempotencyKey }: CallName,
  holder: string,
  fates: Fates,
  over: boolean,
): Promise<void> {
  await sql.rows(record, [serverId, idempotencyKey, holder, JSON.stringify(fates), over]);
}

/** Forgets calls that are a day old, at most so many. @returns how many */
export async function clearCalls(sql: Sql, most: number): Promise<number> {
  return (await sql.rows(clear, [most])).length;
}
