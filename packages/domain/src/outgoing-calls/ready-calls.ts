import { type RowOf, statement, type Sql } from "@carillon/db";
import type { CallWebhook } from "@carillon/jobs";

import { admittedEndpoints } from "./slots.ts";

/** Ready calls of one bot that are read at once: as many as may be in progress. */
const ofBot = 4;

/** SQL: the bots with waiting calls. The recursion visits each bot once, however many calls wait. */
const waitingBots = `WITH RECURSIVE bots (id) AS (
      (SELECT bot_id FROM outgoing_call WHERE state = 'waiting' ORDER BY bot_id LIMIT 1)
      UNION ALL
      SELECT (SELECT c.bot_id FROM outgoing_call c WHERE c.state = 'waiting' AND c.bot_id > bots.id
        ORDER BY c.bot_id LIMIT 1)
      FROM bots WHERE bots.id IS NOT NULL
    )
    SELECT id FROM bots`;

const ready = statement({
  name: "outgoing-calls-ready",
  text: `SELECT c.id AS "callId", c.version, c.calls
    FROM (${waitingBots}) bots JOIN bot_service s ON s.bot_id = bots.id JOIN realms r ON r.id = s.realm_id AND NOT r.deactivated AND r.read_only_since IS NULL
      ${admittedEndpoints}
      CROSS JOIN LATERAL (
        SELECT w.id, w.version, w.calls, w.next_at, w.message_id FROM outgoing_call w
        WHERE w.bot_id = bots.id AND w.state = 'waiting' AND w.next_at <= now() - make_interval(secs => $2 / 1000.0)
        ORDER BY w.next_at, w.message_id LIMIT ${ofBot}) c
    WHERE $1::int IS NULL OR s.realm_id = $1
    ORDER BY bots.id = $4 NULLS FIRST, c.next_at, c.message_id LIMIT $3`,
});

/**
 * Reads calls that may be made now, the longest due first.
 * @param wanted `realmId`: only calls of this organization; `olderThanMs`: only calls due for so many milliseconds;
 *   `lastBotId`: the bot whose calls come after those of other bots
 */
export function readyCalls(
  sql: Sql,
  {
    realmId,
    olderThanMs = 0,
    lastBotId,
    limit,
  }: {
    readonly realmId?: number;
    readonly olderThanMs?: number;
    readonly lastBotId?: number;
    readonly limit: number;
  },
): Promise<CallWebhook[]> {
  return sql.rows(ready, [realmId ?? null, olderThanMs, limit, lastBotId ?? null]);
}

const figures = statement({
  name: "outgoing-figures",
  text: `SELECT (SELECT count(*) FROM (SELECT FROM outgoing_call WHERE state = 'waiting' LIMIT 100000) w) AS waiting,
      coalesce(extract(epoch FROM now() - (SELECT min(c.next_at) FROM (${waitingBots}) bots CROSS JOIN LATERAL (
          SELECT w.next_at FROM outgoing_call w WHERE w.bot_id = bots.id AND w.state = 'waiting'
            AND w.next_at <= now() ORDER BY w.next_at LIMIT 1) c)), 0)::float8 AS "oldestSeconds",
      (SELECT count(*) FROM outgoing_origin WHERE open_until > now()) AS "circuitsOpen"`,
});

/** Figures of all calls that operators set alerts on. */
export type OutgoingFigures = RowOf<typeof figures>;

/** Reads the figures. `oldestSeconds`: how long the oldest ready call has been ready. */
export async function readOutgoing(sql: Sql): Promise<OutgoingFigures | undefined> {
  return (await sql.rows(figures))[0];
}

const repair = statement({
  name: "outgoing-calls-repair",
  text: `UPDATE outgoing_call c SET next_at = now() WHERE c.id = ANY (ARRAY(
      SELECT b.id FROM outgoing_call b
      WHERE b.state = 'waiting' AND b.next_at = 'infinity' AND NOT EXISTS (
        SELECT FROM outgoing_call e WHERE e.bot_id = b.bot_id AND e.conversation = b.conversation
          AND e.state = 'waiting' AND e.message_id < b.message_id)
      ORDER BY b.id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING c.id`,
});

/** Makes calls ready that wait for an earlier call that does not exist, for example because its row was deleted by hand. */
export async function repairCalls(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(repair, [limit])).length;
}

const clear = statement({
  name: "outgoing-clear",
  text: `WITH calls AS (
      DELETE FROM outgoing_call WHERE id = ANY (ARRAY(
        SELECT id FROM outgoing_call WHERE state <> 'waiting' AND finished_at < now() - interval '14 days'
        ORDER BY finished_at LIMIT $1)) RETURNING id
    ), attempts AS (
      DELETE FROM outgoing_attempt WHERE id = ANY (ARRAY(
        SELECT id FROM outgoing_attempt WHERE attempted_at < now() - interval '14 days'
        ORDER BY attempted_at LIMIT $1)) RETURNING id
    ), slots AS (
      DELETE FROM outgoing_slot WHERE until < now() - interval '1 hour' RETURNING id
    ), origins AS (
      DELETE FROM outgoing_origin WHERE open_until < now() - interval '14 days' RETURNING origin
    )
    SELECT greatest((SELECT count(*) FROM calls), (SELECT count(*) FROM attempts))::int AS count
    FROM (SELECT count(*) FROM slots) s, (SELECT count(*) FROM origins) o`,
});

/** Deletes finished calls and attempts after 14 days, and slots of killed workers. @returns about how many rows */
export async function clearCalls(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(clear, [limit]))[0]?.count ?? 0;
}
