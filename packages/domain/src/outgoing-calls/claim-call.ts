import { createHash } from "node:crypto";

import { lockKeys, notNull, statement, type Sql, type Tx } from "@carillon/db";
import type { CallWebhook } from "@carillon/jobs";

import { takeSlots, type Endpoint } from "./slots.ts";

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

/** A call that this worker has to make before the lease of its claim ends. */
export interface ClaimedCall extends Endpoint {
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

/** Calls of one bot that were claimed together. */
export interface ClaimedCalls extends Endpoint {
  readonly calls: readonly ClaimedCall[];
  /** As many calls as there are slots may be in progress at once. */
  readonly slotIds: readonly number[];
  /** Unanswered calls in a row so far. */
  readonly failures: number;
}

/** Calls that are claimed for each slot: those after the first one wait for the slot. */
const callsOfSlot = 8;

/** Maximum calls that are claimed together. */
const maxClaimed = 32;

const look = statement({
  name: "outgoing-calls-look",
  text: `SELECT c.id AS "callId", c.bot_id AS "botId", c.conversation
    FROM outgoing_call w JOIN LATERAL (
      SELECT w.id, w.bot_id, w.conversation
      UNION (SELECT r.id, r.bot_id, r.conversation FROM outgoing_call r
        WHERE r.bot_id = w.bot_id AND r.state = 'waiting' AND r.next_at <= now()
        ORDER BY r.next_at, r.message_id LIMIT ${maxClaimed})) c ON true
    WHERE w.id = $1 AND w.version = $2 AND w.state = 'waiting'`,
  overrides: { callId: notNull, botId: notNull, conversation: notNull },
});

const read = statement({
  name: "outgoing-calls-read",
  text: `SELECT c.id AS "callId", c.version, c.realm_id AS "realmId", c.bot_id AS "botId", c.message_id AS "messageId",
      c.conversation, c.trigger, c.webhook_id AS "webhookId", c.overflowed AS "isOverflowed", c.reason, s.origin,
      u.is_active AS "isActive", r.deactivated,
      coalesce(c.calling_until > clock_timestamp(), false)
        OR c.next_at <> 'infinity' AND c.next_at > clock_timestamp() + interval '1 second' AS "isEarly",
      EXISTS (SELECT FROM outgoing_call e WHERE e.bot_id = c.bot_id AND e.conversation = c.conversation
        AND e.state = 'waiting' AND e.message_id < c.message_id) AS "isBehind"
    FROM outgoing_call c JOIN bot_service s ON s.bot_id = c.bot_id JOIN users u ON u.id = c.bot_id
    JOIN realms r ON r.id = c.realm_id
    WHERE c.id = ANY($1::bigint[]) AND c.state = 'waiting'
    ORDER BY c.id <> $2, c.next_at, c.message_id`,
});

const begin = statement({
  name: "outgoing-calls-begin",
  text: `UPDATE outgoing_call c SET calls = calls + 1, calling_until = t.until, next_at = t.until
    FROM (SELECT clock_timestamp() + make_interval(secs => $2 / 1000.0) AS until) t
    WHERE c.id = ANY($1::bigint[]) AND c.state = 'waiting' RETURNING c.id AS "callId", c.calls AS call`,
});

const standBehind = statement({
  name: "outgoing-calls-behind",
  text: "UPDATE outgoing_call SET next_at = 'infinity' WHERE id = ANY($1::bigint[]) AND state = 'waiting'",
});

/**
 * Claims a waiting call and other ready calls of its bot, at most one of a conversation. Leaves out calls that are too
 * early or that wait for an earlier call of the conversation. Claims none if too many calls are in progress or the circuit
 * of the endpoint is open. In these cases a job that ends a call, or the relay, adds their jobs again.
 * @param forMs milliseconds for which the claim holds, more than the calls can take
 */
export async function claimCalls(
  tx: Tx,
  { callId, version }: Pick<CallWebhook, "callId" | "version">,
  forMs: number,
): Promise<ClaimedCalls | undefined> {
  const places = await tx.rows(look, [callId, version]);
  const [place] = places;
  if (!place) return undefined;
  await lockConversations(tx, places);
  // Read under the locks: the calls before them may just have ended.
  const found = await tx.rows(read, [places.map((one) => one.callId), callId]);
  const [one] = found;
  if (!one || one.deactivated) return undefined;
  if (!one.isActive) {
    await endCallsOfBots(tx, [place.botId]);
    return undefined;
  }
  const due = found.filter(({ isEarly }) => !isEarly);
  const behind = due.filter(({ isBehind, isOverflowed }) => isBehind && !isOverflowed);
  if (behind.length > 0) await tx.rows(standBehind, [behind.map((call) => call.callId)]);
  const callable = due.filter(({ isBehind, isOverflowed }) => !isBehind && !isOverflowed);
  const { realmId, origin } = one;
  const { slotIds, failures } =
    callable.length > 0
      ? await takeSlots(tx, { realmId, origin }, callable.length, forMs)
      : { slotIds: [], failures: 0 };
  // After a failure, a call that waits for its slot is likely to be returned.
  const admitted = failures > 0 ? slotIds.length : slotIds.length * callsOfSlot;
  const chosen = [
    ...callable.slice(0, Math.min(admitted, maxClaimed)),
    ...due.filter(({ isOverflowed }) => isOverflowed).slice(0, maxClaimed),
  ];
  if (chosen.length === 0) return undefined;
  const begun = await tx.rows(begin, [chosen.map((call) => call.callId), forMs]);
  const numbers = new Map(begun.map((call) => [call.callId, call.call]));
  const calls = chosen.flatMap((call) => {
    const number = numbers.get(call.callId);
    if (number === undefined) return [];
    const { isActive: _active, isBehind: _behind, isEarly: _early, deactivated: _, ...row } = call;
    return [{ ...row, call: number }];
  });
  return { realmId, origin, calls, slotIds, failures };
}

/** A conversation of a bot. */
interface Conversation {
  readonly botId: number;
  readonly conversation: string;
}

/** Takes the locks under which calls of bots in conversations are begun and ended. */
export async function lockConversations(
  tx: Tx,
  conversations: readonly Conversation[],
): Promise<void> {
  await lockKeys(tx, "outgoingConversation", conversations.map(conversationKey));
}

/** Returns the key of the advisory lock of a conversation. */
export function conversationKey({ botId, conversation }: Conversation): number {
  return createHash("sha256").update(`${botId}:${conversation}`).digest().readInt32BE(0);
}

const giveBack = statement({
  name: "outgoing-calls-return",
  text: `UPDATE outgoing_call c SET next_at = now(), calling_until = NULL, calls = c.calls - (NOT g.made)::int
    FROM unnest($1::bigint[], $2::int[], $3::bool[]) AS g (id, calls, made)
    WHERE c.id = g.id AND c.calls = g.calls AND c.state = 'waiting'`,
});

/** A claimed call that has no result. `wasMade`: whether the endpoint may have received it. */
export interface UnendedCall {
  readonly call: ClaimedCall;
  readonly wasMade: boolean;
}

/** Returns claimed calls without a result, so that they can be made at once. A call that was not made is not counted. */
export async function returnCalls(sql: Sql, calls: readonly UnendedCall[]): Promise<void> {
  if (calls.length === 0) return;
  await sql.rows(giveBack, [
    calls.map(({ call }) => call.callId),
    calls.map(({ call }) => call.call),
    calls.map(({ wasMade }) => wasMade),
  ]);
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
 * Marks calls as given up that have waited for ten minutes for an endpoint that has just failed a trial: one trial each
 * would take days. Their jobs do the rest.
 */
export function giveUpOldCalls(sql: Sql, { realmId, origin }: Endpoint): Promise<CallWebhook[]> {
  return sql.rows(giveUpOld, [realmId, origin]);
}

const wakeNext = statement({
  name: "outgoing-calls-wake",
  text: `UPDATE outgoing_call SET next_at = clock_timestamp() WHERE next_at = 'infinity' AND id = ANY (ARRAY(
      SELECT n.id FROM unnest($2::text[]) AS ended (conversation) CROSS JOIN LATERAL (
        SELECT w.id FROM outgoing_call w
        WHERE w.bot_id = $1 AND w.conversation = ended.conversation AND w.state = 'waiting'
        ORDER BY w.message_id LIMIT 1) n))`,
});

/** Makes the next call of each conversation ready, after the call before has ended. It adds no jobs. */
export async function wakeNextCalls(
  tx: Tx,
  botId: number,
  conversations: readonly string[],
): Promise<void> {
  if (conversations.length > 0) await tx.rows(wakeNext, [botId, conversations]);
}
