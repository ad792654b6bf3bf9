import { createHash } from "node:crypto";

import { lockKey, statement, type Sql, type Tx } from "@carillon/db";
import { callJob, type CallWebhook, type WaitingCall } from "@carillon/jobs";
import { addJobsAfterCommit } from "@carillon/outbox";

import { takeSlot, type Endpoint, type Slot } from "./slots.ts";

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
      u.is_active AS "isActive", r.deactivated,
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
    WHERE c.id = $1 AND c.state = 'waiting' RETURNING c.calls AS call`,
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
  return begun && { ...claimed, ...slot, ...begun };
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

/** Makes the next call of the conversation ready, after one has ended. */
export async function wakeNextCall(
  tx: Tx,
  { callId, botId, conversation }: Pick<ClaimedCall, "callId" | "botId" | "conversation">,
): Promise<void> {
  const next: WaitingCall | undefined = await tx.first(wakeNext, [botId, conversation]);
  if (next) addJobsAfterCommit(tx, [callJob(next, `after-${callId}`)]);
}
