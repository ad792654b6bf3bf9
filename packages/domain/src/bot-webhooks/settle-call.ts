import { ApiError } from "@carillon/contract";
import { statement, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { callJob } from "@carillon/jobs";
import { cutTo, firstCodePoints } from "@carillon/kit";
import {
  type CheckedMessage,
  clientIdOf,
  type Destination,
  loadRealm,
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
import { type ClaimedCall, lockConversation, wakeNextCall } from "../outgoing-calls/claim-call.ts";
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
}

/** Returns the client of the bots' answers. Call it outside of transactions: the first call of an installation adds it. */
export async function answeringClient(db: Database): Promise<SendingClient> {
  return { id: await clientIdOf(db, clientName), name: clientName };
}

const current = statement({
  name: "outgoing-call-current",
  text: `SELECT c.attempts, extract(epoch FROM now() - c.started_at)::float8 * 1000 AS "ageMs", u.is_active AS "isActive"
    FROM outgoing_call c JOIN users u ON u.id = c.bot_id
    WHERE c.id = $1 AND c.version = $2 AND c.calls = $3 AND c.state = 'waiting'`,
});

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
    DELETE FROM outgoing_attempt WHERE bot_id = $2 AND id <= (
      SELECT id FROM outgoing_attempt WHERE bot_id = $2 ORDER BY id DESC OFFSET ${keptAttempts - 1} LIMIT 1)`,
});

const noteState = statement({
  name: "bot-service-failing",
  text: "UPDATE bot_service SET failing = $2 WHERE bot_id = $1 AND failing <> $2",
});

/**
 * Stores what follows from a call, in one transaction: the bot's reply, the state of the call, the attempt, the messages
 * about a call that is given up, and the slot. Does nothing for a call that another worker has made meanwhile.
 * @param verdict `ended` if the bot sends nothing
 * @param attempt undefined if no endpoint was called
 */
export async function settleCall(
  tx: Tx,
  site: Site,
  client: SendingClient,
  call: ClaimedCall,
  verdict: Verdict | "ended",
  attempt?: MadeAttempt,
): Promise<SettledCall> {
  await lockConversation(tx, call);
  const now = await tx.first(current, [call.callId, call.version, call.call]);
  await releaseSlot(tx, call.slotId);
  if (!now) return { outcome: "overtaken" };
  const place = now.isActive && verdict !== "ended" ? await placeOf(tx, call) : undefined;
  if (!place || verdict === "ended") {
    await tx.rows(finish, [call.callId, "ended", "the bot or the message is gone", 0]);
    if (attempt && verdict !== "ended") await logAttempt(tx, call, attempt, "done");
    await wakeNextCall(tx, call);
    return { outcome: "ended" };
  }
  const reply =
    verdict.kind === "done" && verdict.reply !== undefined
      ? await checkReply(tx, site, call, place, verdict.reply)
      : undefined;
  const refusal = reply instanceof ApiError ? reply : undefined;
  const settled = refusal ? refused(refusal) : outlived(verdict, now);
  const outcome = settled.kind;
  const reason = settled.kind === "done" ? undefined : settled.reason;
  if (attempt) await logAttempt(tx, call, attempt, outcome, reason);
  await tx.rows(noteState, [call.botId, outcome !== "done"]);
  if (settled.kind === "retry") {
    const delayMs = settled.waitMs ?? pauseAfter(now.attempts + 1);
    await tx.rows(retry, [call.callId, reason, settled.counts ? 1 : 0, delayMs]);
    const { callId, version, call: calls } = call;
    addJobsAfterCommit(tx, [callJob({ callId, version, calls, delayMs })]);
    return { outcome };
  }
  const counted = attempt ? 1 : 0;
  await tx.rows(finish, [
    call.callId,
    outcome === "done" ? "done" : "dead",
    reason ?? null,
    counted,
  ]);
  await wakeNextCall(tx, call);
  const answer =
    outcome === "failed" ? await checkReply(tx, site, call, place, failureText) : reply;
  const messages: OutgoingMessage[] = [];
  if (answer && !(answer instanceof ApiError))
    messages.push({
      ...answer,
      clientId: client.id,
      clientName: client.name,
      readBySender: true,
      ...(outcome === "done" ? { outgoingCallId: call.callId } : {}),
    });
  if (reason !== undefined) messages.push(...(await ownerNotice(tx, call, reason)));
  if (messages.length > 0) {
    const { events } = await sendChecked(tx, place.realm, messages);
    emit(tx, call.realmId, events);
  }
  return { outcome };
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

interface Place {
  readonly realm: Realm;
  readonly destination: Destination;
  readonly topic: string;
}

const messagePlace = statement({
  name: "outgoing-message-place",
  text: `SELECT m.topic, r.channel_id AS "channelId", r.member_ids AS "memberIds"
    FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE m.id = $1 AND m.realm_id = $2`,
});

/** Returns where the message is now, and locks its audience; undefined if it was deleted. */
async function placeOf(
  tx: Tx,
  { realmId, botId, messageId }: ClaimedCall,
): Promise<Place | undefined> {
  const found = await tx.first(messagePlace, [messageId, realmId]);
  if (!found) return undefined;
  const { channelId, memberIds, topic } = found;
  await lockAudiencesShared(tx, channelId === null ? [] : [channelId], [botId]);
  const realm = await loadRealm(tx, realmId);
  return channelId === null
    ? { realm, topic: "", destination: { kind: "direct", userIds: memberIds ?? [] } }
    : { realm, topic, destination: { kind: "channel", channelId } };
}

/** Checks what the bot says in the conversation of the message. Bots answer in channels that they may not post to. */
async function checkReply(
  tx: Tx,
  site: Site,
  { realmId, botId }: ClaimedCall,
  { destination, topic }: Place,
  text: string,
): Promise<CheckedMessage | ApiError> {
  const content = cutTo(text.replace(/[\0\p{Surrogate}]/gu, "\ufffd"), maxMessageLength, "…");
  const input = {
    senderId: botId,
    destination,
    topic,
    topicIsStored: true,
    content,
    isReply: true,
  };
  const { results } = await checkMessages(tx, site, realmId, [input]);
  const [result] = results;
  if (!result) throw new Error("no result for the reply");
  return result;
}

/** Logs an attempt, and deletes older ones than the last {@link keptAttempts} of the bot. */
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
