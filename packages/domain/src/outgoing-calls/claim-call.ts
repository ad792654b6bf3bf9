import { createHash } from "node:crypto";

import { lockClass, lockKey, notNull, statement, type Sql, type Tx } from "@carillon/db";
import type { CallWebhook } from "@carillon/jobs";

import {
  isCircuitClosed,
  isSlotFree,
  releaseSlot,
  takeSlot,
  type Endpoint,
  type Slot,
} from "./slots.ts";

/*
 * The states of a call, a row of `outgoing_call`:
 *
 *   waiting ──▶ done     answered, with or without a reply
 *      │  ▲
 *      │  └──── dead     given up: a dead letter, which operators replay
 *      ├──────▶ dead
 *      └──────▶ ended    the bot is deactivated, or the message is gone
 *
 * While it waits, `next_at` is the earliest time of the next attempt, and `infinity` while an earlier call of the
 * conversation waits. Until `calling_until`, one worker has claimed the call; then another one may.
 */

/** A call that this worker has claimed. */
export interface ClaimedCall extends Endpoint, Slot {
  readonly callId: number;
  readonly version: number;
  readonly botId: number;
  readonly messageId: number;
  readonly conversation: string;
  readonly trigger: string;
  readonly webhookId: string;
  /** 1 for the first call. */
  readonly call: number;
  /** Whether it is given up without being made: see `overflowed` of the row. */
  readonly isOverflowed: boolean;
  /** Why it is given up, or why the previous attempt failed. */
  readonly reason: string | null;
}

const look = statement({
  name: "outgoing-call-look",
  text: `SELECT bot_id AS "botId", conversation FROM outgoing_call
    WHERE id = $1 AND version = $2 AND state = 'waiting'`,
});

const read = statement({
  name: "outgoing-call-read",
  text: `SELECT c.id AS "callId", c.version, c.realm_id AS "realmId", c.bot_id AS "botId", c.message_id AS "messageId",
      c.conversation, c.trigger, c.webhook_id AS "webhookId", c.overflowed AS "isOverflowed", c.reason, s.origin,
      u.is_active AS "isActive", r.deactivated OR r.read_only_since IS NOT NULL AS deactivated,
      coalesce(c.calling_until > clock_timestamp(), false)
        OR c.next_at <> 'infinity' AND c.next_at > clock_timestamp() + interval '1 second' AS "isEarly",
      EXISTS (SELECT FROM outgoing_call e WHERE e.bot_id = c.bot_id AND e.conversation = c.conversation
        AND e.state = 'waiting' AND e.message_id < c.message_id) AS "isBehind"
    FROM outgoing_call c JOIN bot_service s ON s.bot_id = c.bot_id JOIN users u ON u.id = c.bot_id
    JOIN realms r ON r.id = c.realm_id
    WHERE c.id = $1 AND c.version = $2 AND c.state = 'waiting'`,
});

const begin = statement({
  name: "outgoing-call-begin",
  text: `UPDATE outgoing_call c SET calls = calls + 1, calling_until = t.until, next_at = t.until
    FROM (SELECT clock_timestamp() + make_interval(secs => $2 / 1000.0) AS until) t
    WHERE c.id = $1 AND c.state = 'waiting' AND coalesce(c.calling_until <= clock_timestamp(), true)
    RETURNING c.calls AS call`,
});

const standBehind = statement({
  name: "outgoing-call-behind",
  text: "UPDATE outgoing_call SET next_at = 'infinity' WHERE id = $1 AND state = 'waiting'",
});

/**
 * Claims a waiting call, unless it is too early, an earlier call of the conversation waits, too many calls are in progress
 * or the endpoint's circuit is open. In these cases a call that ends, or the relay, adds its job again.
 * @param forMs milliseconds for which the claim holds, more than the call can take
 */
export async function claimCall(
  tx: Tx,
  { callId, version }: CallWebhook,
  forMs: number,
): Promise<ClaimedCall | undefined> {
  const place = await tx.first(look, [callId, version]);
  if (!place) return undefined;
  await lockConversation(tx, place);
  // Read under the lock, because the previous call may just have ended.
  const call = await tx.first(read, [callId, version]);
  if (!call || call.isEarly || call.deactivated) return undefined;
  const { isActive, isBehind, isEarly: _early, deactivated: _deactivated, ...claimed } = call;
  if (!isActive) {
    await endCallsOfBots(tx, [call.botId]);
    return undefined;
  }
  if (isBehind && !call.isOverflowed) {
    await tx.rows(standBehind, [callId]);
    return undefined;
  }
  const slot = call.isOverflowed ? { slotId: 0, failures: 0 } : await takeSlot(tx, call, forMs);
  if (!slot) return undefined;
  const begun = await tx.first(begin, [callId, forMs]);
  if (begun) return { ...claimed, ...slot, ...begun };
  // Another worker has just claimed it, with the answer to another call of the bot (`claimNextCall`).
  await releaseSlot(tx, slot.slotId);
  return undefined;
}

/**
 * Writes the SQL that tries to take the lock of {@link lockConversation}. Without it, a worker of an earlier build, whose
 * claims do not check whether a call is in progress, makes the same call during an upgrade.
 */
const tryConversation = (call: string) =>
  `pg_try_advisory_xact_lock(${lockClass.outgoingConversation}, ('x' || left(encode(sha256(
        convert_to(${call}.bot_id || ':' || ${call}.conversation, 'UTF8')), 'hex'), 8))::bit(32)::int)`;

const next = statement({
  name: "outgoing-call-next",
  text: `WITH next AS (
      SELECT w.id, w.bot_id, w.conversation, s.origin, coalesce(o.failures, 0) AS failures
      FROM outgoing_call w JOIN bot_service s ON s.bot_id = w.bot_id JOIN users u ON u.id = w.bot_id
        JOIN realms r ON r.id = w.realm_id LEFT JOIN outgoing_origin o ON o.realm_id = $5 AND o.origin = $2
      WHERE NOT EXISTS (SELECT FROM bot_service b JOIN outgoing_call e ON e.bot_id = b.bot_id
          WHERE b.realm_id = $5 AND b.origin = $2 AND b.bot_id <> $1 AND e.state = 'waiting'
            AND e.next_at <= statement_timestamp())
        AND ${isCircuitClosed}
        AND w.bot_id = $1 AND s.origin = $2 AND u.is_active AND NOT r.deactivated AND r.read_only_since IS NULL
        AND w.state = 'waiting' AND NOT w.overflowed AND w.next_at <= statement_timestamp()
        AND w.id = (SELECT e.id FROM outgoing_call e WHERE e.bot_id = w.bot_id AND e.conversation = w.conversation
          AND e.state = 'waiting' ORDER BY e.message_id LIMIT 1)
      ORDER BY w.next_at, w.message_id LIMIT 1 FOR NO KEY UPDATE OF w SKIP LOCKED
    ), slot AS (
      UPDATE outgoing_slot SET until = clock_timestamp() + make_interval(secs => $4 / 1000.0)
      WHERE id = $3 AND EXISTS (SELECT FROM next WHERE ${tryConversation("next")}) RETURNING id, until
    )
    UPDATE outgoing_call c SET calls = c.calls + 1, calling_until = slot.until, next_at = slot.until
    FROM next, slot WHERE c.id = next.id
    RETURNING c.id AS "callId", c.version, c.realm_id AS "realmId", c.bot_id AS "botId", c.message_id AS "messageId",
      c.conversation, c.trigger, c.webhook_id AS "webhookId", c.overflowed AS "isOverflowed", c.reason, next.origin,
      c.calls AS call, slot.id AS "slotId", next.failures,
      ${isSlotFree("c.realm_id", "next.origin")} AS "isSlotFree"`,
  overrides: { failures: notNull, isSlotFree: notNull },
});

/** A call that follows another one in its slot. */
export interface NextCall extends ClaimedCall {
  /** Whether the endpoint has one more free slot, for another call at the same time. */
  readonly isSlotFree: boolean;
}

/**
 * Claims the bot's ready call that is due the longest, for the slot of an answered call that ends in this transaction.
 * Skips calls that other workers are claiming, so it waits for no lock.
 * @param forMs as for {@link claimCall}
 * @returns undefined if no call of the bot is ready, if another bot with this endpoint has a ready call, if the
 *   circuit is not closed, or if the bot's endpoint has changed; the caller then frees the slot
 */
export function claimNextCall(
  tx: Tx,
  { realmId, botId, origin, slotId }: Pick<ClaimedCall, "realmId" | "botId" | "origin" | "slotId">,
  forMs: number,
): Promise<NextCall | undefined> {
  return tx.first(next, [botId, origin, slotId, forMs, realmId]);
}

/** A conversation of a bot. */
interface Conversation {
  readonly botId: number;
  readonly conversation: string;
}

/** Takes the lock under which calls of a bot in a conversation are begun and ended. */
export async function lockConversation(tx: Tx, conversation: Conversation): Promise<void> {
  await lockKey(tx, "outgoingConversation", conversationKey(conversation));
}

/** Returns the key of the advisory lock of a conversation. */
export function conversationKey({ botId, conversation }: Conversation): number {
  return createHash("sha256").update(`${botId}:${conversation}`).digest().readInt32BE(0);
}

const giveBack = statement({
  name: "outgoing-call-return",
  text: `WITH released AS (DELETE FROM outgoing_slot WHERE id = $3)
    UPDATE outgoing_call SET next_at = now(), calling_until = NULL
    WHERE id = $1 AND calls = $2 AND state = 'waiting'`,
});

/** Returns a claimed call that was interrupted, so that it can be made at once. */
export async function returnCall(
  sql: Sql,
  { callId, call, slotId }: Pick<ClaimedCall, "callId" | "call" | "slotId">,
): Promise<void> {
  await sql.rows(giveBack, [callId, call, slotId]);
}

const endOfBots = statement({
  name: "outgoing-calls-of-bots-end",
  text: `UPDATE outgoing_call SET state = 'ended', finished_at = now(), reason = 'the bot is deactivated'
    WHERE id = ANY (ARRAY(
      SELECT id FROM outgoing_call WHERE bot_id = ANY($1::int[]) AND state = 'waiting'
      FOR NO KEY UPDATE SKIP LOCKED))`,
});

/**
 * Ends the waiting calls of deactivated bots. Skips calls whose answers are being stored: the transaction that stores an
 * answer sees that the bot is deactivated.
 */
export async function endCallsOfBots(sql: Sql, botIds: readonly number[]): Promise<void> {
  await sql.rows(endOfBots, [botIds]);
}

const giveUpOld = statement({
  name: "outgoing-calls-give-up",
  text: `UPDATE outgoing_call c SET overflowed = true, next_at = now(), reason = 'the endpoint does not answer'
    WHERE c.id = ANY (ARRAY(
      SELECT w.id FROM outgoing_call w JOIN bot_service s ON s.bot_id = w.bot_id
      WHERE s.realm_id = $1 AND s.origin = $2 AND w.realm_id = $1 AND w.state = 'waiting' AND NOT w.overflowed
        AND w.calling_until IS NULL AND w.started_at < now() - interval '10 minutes'
      ORDER BY w.id LIMIT 500 FOR NO KEY UPDATE OF w SKIP LOCKED))
    RETURNING c.id AS "callId", c.version, c.calls`,
});

/**
 * Marks calls for giving up and returns their jobs, which end them. The calls have waited for ten minutes, and their
 * endpoint has just failed a trial: a trial for each of them could take days.
 */
export function giveUpOldCalls(sql: Sql, { realmId, origin }: Endpoint): Promise<CallWebhook[]> {
  return sql.rows(giveUpOld, [realmId, origin]);
}

const wakeNext = statement({
  name: "outgoing-call-wake",
  text: `UPDATE outgoing_call SET next_at = clock_timestamp() WHERE next_at = 'infinity' AND id = (
      SELECT id FROM outgoing_call WHERE bot_id = $1 AND conversation = $2 AND state = 'waiting'
      ORDER BY message_id LIMIT 1)
    RETURNING id AS "callId", version, calls`,
});

/** Makes the next call of a conversation ready, after one has ended. @returns the next call, if one has waited */
export function wakeNextCall(
  tx: Tx,
  { botId, conversation }: Conversation,
): Promise<CallWebhook | undefined> {
  return tx.first(wakeNext, [botId, conversation]);
}
