import { ApiError } from "@carillon/contract";
import { type RowOf, statement, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { callJob } from "@carillon/jobs";
import { cutTo, firstCodePoints } from "@carillon/kit";
import {
  type CheckedMessage,
  clientIdOf,
  type Destination,
  lockAudiencesShared,
  maxMessageLength,
  type OutgoingMessage,
  type Realm,
  type SendingClient,
  type Site,
} from "@carillon/model";
import { addJobsAfterCommit } from "@carillon/outbox";

import { checkMessages } from "../messages/send/check.ts";
import { sendChecked } from "../messages/send/send-checked.ts";
import {
  claimNextCall,
  type ClaimedCall,
  lockConversation,
  type NextCall,
  wakeNextCall,
} from "../outgoing-calls/claim-call.ts";
import { ownerNotice } from "./owner-notice.ts";
import type { Verdict } from "./read-answer.ts";
import { releaseSlot } from "../outgoing-calls/slots.ts";

/** Client name of the messages in which outgoing webhook bots answer. */
const clientName = "OutgoingWebhookResponse";

/** The bot's message if its endpoint gave no usable answer. */
const failureText = "Failure! My endpoint could not handle this message.";

/** Calls that fail after this many attempts are given up. */
const maxAttempts = 6;

/** Seconds to wait before the next attempt, by the number of failed attempts. */
const pauses = [1, 4, 15, 60, 300];

/** Fraction by which a pause is shorter or longer. */
const jitter = 0.2;

/** Milliseconds after which the next failure is the last. */
const giveUpAfterMs = 600_000;

/** Attempts that are kept for a bot. */
export const keptAttempts = 100;

/**
 * One attempt in so many, on average, deletes older attempts of the bot. When each attempt did, PostgreSQL passed the
 * index entries of deleted attempts each time, which took as long as all other statements of an answer.
 */
const deletedEvery = 25;

/** Characters of an answer that are kept. */
const keptCharacters = 1_024;

/** An attempt that was made, for the list of deliveries. */
export interface MadeAttempt {
  /** UNIX milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number | undefined;
  /** The beginning of the answer, decoded as UTF-8. */
  readonly responseHead: string;
}

/** How a call has ended for now. */
export interface SettledCall {
  readonly outcome: "done" | "retry" | "failed" | "ended" | "overtaken";
  /** The next call, which has been claimed for the same slot; undefined if the slot was freed. */
  readonly next?: NextCall;
}

/** Returns the client of the bots' answers. Call it outside of transactions: the first call of an installation adds it. */
export async function answeringClient(db: Database): Promise<SendingClient> {
  return { id: await clientIdOf(db, clientName), name: clientName };
}

const current = statement({
  name: "outgoing-call-current",
  // `topic`, `channelId`, `memberIds`: where the message is now; null if it was deleted.
  text: `SELECT c.id, c.attempts, extract(epoch FROM now() - c.started_at)::float8 * 1000 AS "ageMs", u.is_active AS "isActive",
      m.topic, r.channel_id AS "channelId", r.member_ids AS "memberIds"
    FROM outgoing_call c JOIN users u ON u.id = c.bot_id
      LEFT JOIN messages m ON m.id = c.message_id AND m.realm_id = c.realm_id LEFT JOIN recipients r ON r.id = m.recipient_id
    WHERE c.id = $1 AND c.version = $2 AND c.calls = $3 AND c.state = 'waiting' FOR NO KEY UPDATE OF c`,
});

/** A call whose answer is being stored, and where its message is now. */
type CurrentCall = RowOf<typeof current>;

const finish = statement({
  name: "outgoing-call-finish",
  text: `UPDATE outgoing_call SET state = $2, reason = $3, attempts = attempts + $4, calling_until = NULL,
      finished_at = now() WHERE id = $1`,
});

const retry = statement({
  name: "outgoing-call-retry",
  text: `UPDATE outgoing_call SET reason = $2, attempts = attempts + $3, calling_until = NULL,
      next_at = clock_timestamp() + make_interval(secs => $4 / 1000.0) WHERE id = $1`,
});

const log = statement({
  name: "outgoing-attempt-log",
  text: `WITH logged AS (
      INSERT INTO outgoing_attempt (realm_id, bot_id, webhook_id, message_id, attempt, attempted_at, status, error,
        duration_ms, outcome, response_head)
      VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), $7, $8, $9, $10, $11)
    )
    DELETE FROM outgoing_attempt WHERE bot_id = $2 AND (SELECT random() < 1.0 / ${deletedEvery}) AND id <= (
      SELECT id FROM outgoing_attempt WHERE bot_id = $2 ORDER BY id DESC OFFSET ${keptAttempts - 1} LIMIT 1)`,
});

const noteState = statement({
  name: "bot-service-failing",
  text: "UPDATE bot_service SET failing = $2 WHERE bot_id = $1 AND failing <> $2",
});

/**
 * Stores the result of a call: the bot's reply, the state of the call, the attempt, and the messages about a call that
 * is given up. Stores nothing for a call that another worker has made meanwhile. Then claims the next ready call of the
 * bot for the same slot, or frees the slot.
 * @param verdict `ended` if the bot sends nothing
 * @param attempt undefined if no endpoint was called
 * @param nextForMs milliseconds for which the next call is claimed; undefined to claim none
 */
export async function settleCall(
  tx: Tx,
  site: Site,
  client: SendingClient,
  call: ClaimedCall,
  verdict: Verdict | "ended",
  attempt?: MadeAttempt,
  nextForMs?: number,
): Promise<SettledCall> {
  const lock = { name: "outgoingCalls", keys: [call.callId] } as const;
  const [, [now]] = await Promise.all([
    lockConversation(tx, call),
    tx.lock(lock, current, [call.callId, call.version, call.call]),
  ]);
  if (!now) {
    await releaseSlot(tx, call.slotId);
    return { outcome: "overtaken" };
  }
  const outcome = await storeResult(tx, site, client, call, now, verdict, attempt);
  const [woken, next] = await Promise.all([
    outcome === "retry" ? undefined : wakeNextCall(tx, call),
    nextForMs === undefined ? undefined : claimNextCall(tx, call, nextForMs),
  ]);
  if (next) return { outcome, next };
  await releaseSlot(tx, call.slotId);
  if (woken) addJobsAfterCommit(tx, [callJob(woken, `after-${call.callId}`)]);
  return { outcome };
}

async function storeResult(
  tx: Tx,
  site: Site,
  client: SendingClient,
  call: ClaimedCall,
  now: CurrentCall,
  verdict: Verdict | "ended",
  attempt: MadeAttempt | undefined,
): Promise<Exclude<SettledCall["outcome"], "overtaken">> {
  const place = now.isActive && verdict !== "ended" ? placeOf(now) : undefined;
  if (!place || verdict === "ended") {
    await Promise.all([
      tx.rows(finish, [call.callId, "ended", "the bot or the message is gone", 0]),
      attempt && verdict !== "ended" ? logAttempt(tx, call, attempt, "done") : undefined,
    ]);
    return "ended";
  }
  // Statements that do not depend on each other are sent together, because most of the time goes into round trips.
  const [, reply] = await Promise.all([
    lockAudience(tx, call, now),
    verdict.kind === "done" && verdict.reply !== undefined
      ? checkReply(tx, site, call, place, verdict.reply)
      : undefined,
  ]);
  const refusal = reply?.message instanceof ApiError ? reply.message : undefined;
  const settled = refusal ? refused(refusal) : outlived(verdict, now);
  const outcome = settled.kind;
  const reason = settled.kind === "done" ? undefined : settled.reason;
  const noted: Array<Promise<unknown> | undefined> = [
    attempt && logAttempt(tx, call, attempt, outcome, reason),
    tx.rows(noteState, [call.botId, outcome !== "done"]),
  ];
  if (settled.kind === "retry") {
    const delayMs = settled.waitMs ?? pauseAfter(now.attempts + 1);
    await Promise.all([
      ...noted,
      tx.rows(retry, [call.callId, reason, settled.counts ? 1 : 0, delayMs]),
    ]);
    const { callId, version, call: calls } = call;
    addJobsAfterCommit(tx, [callJob({ callId, version, calls, delayMs })]);
    return outcome;
  }
  const counted = attempt ? 1 : 0;
  const state = outcome === "done" ? "done" : "dead";
  noted.push(tx.rows(finish, [call.callId, state, reason ?? null, counted]));
  const say = async () => {
    const answer =
      outcome === "failed" ? await checkReply(tx, site, call, place, failureText) : reply;
    const messages: OutgoingMessage[] = [];
    if (answer && !(answer.message instanceof ApiError))
      messages.push({
        ...answer.message,
        clientId: client.id,
        clientName: client.name,
        readBySender: true,
        ...(outcome === "done" ? { outgoingCallId: call.callId } : {}),
      });
    if (reason !== undefined) messages.push(...(await ownerNotice(tx, call, reason)));
    if (answer && messages.length > 0) {
      const { events } = await sendChecked(tx, answer.realm, messages);
      emit(tx, call.realmId, events);
    }
  };
  await Promise.all([...noted, say()]);
  return outcome;
}

function refused({ message }: ApiError): Verdict {
  return { kind: "failed", reason: `the reply was refused: ${message}` };
}

/** Turns the last retry into a failure. */
function outlived(
  verdict: Verdict,
  { attempts, ageMs }: { readonly attempts: number; readonly ageMs: number },
): Verdict {
  if (verdict.kind !== "retry") return verdict;
  const isLast = (verdict.counts && attempts + 1 >= maxAttempts) || ageMs > giveUpAfterMs;
  return isLast ? { kind: "failed", reason: verdict.reason } : verdict;
}

/** Returns the pause after so many failed attempts, in milliseconds. */
function pauseAfter(attempts: number): number {
  const seconds = pauses[Math.min(attempts, pauses.length) - 1] ?? 1;
  return Math.round(seconds * 1_000 * (1 + jitter * (2 * Math.random() - 1)));
}

/** Where the message of a call is now. */
interface Place {
  readonly destination: Destination;
  readonly topic: string;
}

/** Returns where the message is now; undefined if it was deleted. */
function placeOf({ topic, channelId, memberIds }: CurrentCall): Place | undefined {
  if (topic === null) return undefined;
  return channelId === null
    ? { topic: "", destination: { kind: "direct", userIds: memberIds ?? [] } }
    : { topic, destination: { kind: "channel", channelId } };
}

/** Locks the audience of the message, to which the bot may reply. */
function lockAudience(tx: Tx, { botId }: ClaimedCall, { channelId }: CurrentCall): Promise<void> {
  return lockAudiencesShared(tx, channelId === null ? [] : [channelId], [botId]);
}

/** Checks what the bot says in the conversation of the message. Bots answer in channels that they may not post to. */
async function checkReply(
  tx: Tx,
  site: Site,
  { realmId, botId }: ClaimedCall,
  { destination, topic }: Place,
  text: string,
): Promise<{ readonly realm: Realm; readonly message: CheckedMessage | ApiError }> {
  const content = cutTo(text.replace(/[\0\p{Surrogate}]/gu, "\ufffd"), maxMessageLength, "…");
  const input = {
    senderId: botId,
    destination,
    topic,
    topicIsStored: true,
    content,
    isReply: true,
  };
  const {
    realm,
    results: [message],
  } = await checkMessages(tx, site, realmId, [input]);
  if (!message) throw new Error("no result for the reply");
  return { realm, message };
}

/** Logs an attempt. One in {@link deletedEvery} also deletes all but the last {@link keptAttempts} of the bot. */
async function logAttempt(
  tx: Tx,
  call: ClaimedCall,
  { at, durationMs, status, responseHead }: MadeAttempt,
  outcome: "done" | "retry" | "failed",
  error?: string,
): Promise<void> {
  await tx.rows(log, [
    call.realmId,
    call.botId,
    call.webhookId,
    call.messageId,
    call.call,
    at,
    status ?? null,
    error ?? null,
    Math.round(durationMs),
    outcome,
    firstCodePoints(responseHead.replaceAll("\0", "\ufffd"), keptCharacters),
  ]);
}
