import { ApiError } from "@carillon/contract";
import { statement, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { callJob } from "@carillon/jobs";
import { firstCodePoints } from "@carillon/kit";
import {
  channelsOf,
  type CheckedMessage,
  clientIdOf,
  type Destination,
  loadRealm,
  lockAudiencesShared,
  type OutgoingMessage,
  type SendingClient,
  type Site,
} from "@carillon/model";
import { addJobsAfterCommit } from "@carillon/outbox";

import { checkMessages } from "../messages/send/check.ts";
import { countCopies } from "../messages/send/copies.ts";
import { sendChecked } from "../messages/send/send-checked.ts";
import {
  type ClaimedCall,
  lockConversations,
  wakeNextCalls,
} from "../outgoing-calls/claim-call.ts";
import { variedMs } from "../outgoing-calls/pauses.ts";
import { ownerNotice } from "./owner-notice.ts";
import type { Verdict } from "./read-answer.ts";
import { releaseSlots } from "../outgoing-calls/slots.ts";

/** Client name of the messages in which outgoing webhook bots answer. */
const clientName = "OutgoingWebhookResponse";

/** The bot's message if its endpoint gave no usable answer. */
const failureText = "Failure! My endpoint could not handle this message.";

/** Calls that fail after this many attempts are given up. */
const maxAttempts = 6;

/** Seconds after the first attempts, by the number of attempts that failed. */
const pauses = [1, 4, 15, 60, 300];

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
  name: "outgoing-calls-current",
  text: `SELECT c.id AS "callId", c.attempts, extract(epoch FROM now() - c.started_at)::float8 * 1000 AS "ageMs",
      u.is_active AS "isActive"
    FROM unnest($1::bigint[], $2::int[], $3::int[]) AS g (id, version, calls)
      JOIN outgoing_call c ON c.id = g.id AND c.version = g.version AND c.calls = g.calls AND c.state = 'waiting'
      JOIN users u ON u.id = c.bot_id`,
});

const finish = statement({
  name: "outgoing-calls-finish",
  text: `UPDATE outgoing_call c SET state = g.state, reason = g.reason, attempts = c.attempts + g.attempts,
      calling_until = NULL, finished_at = now()
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::int[]) AS g (id, state, reason, attempts) WHERE c.id = g.id`,
});

const retry = statement({
  name: "outgoing-calls-retry",
  text: `UPDATE outgoing_call c SET reason = g.reason, attempts = c.attempts + g.attempts, calling_until = NULL,
      next_at = clock_timestamp() + make_interval(secs => g.ms / 1000.0)
    FROM unnest($1::bigint[], $2::text[], $3::int[], $4::float8[]) AS g (id, reason, attempts, ms) WHERE c.id = g.id`,
});

const log = statement({
  name: "outgoing-attempts-log",
  text: `WITH logged AS (
      INSERT INTO outgoing_attempt (realm_id, bot_id, webhook_id, message_id, attempt, attempted_at, status, error,
        duration_ms, outcome, response_head)
      SELECT $1, $2, webhook_id, message_id, attempt, to_timestamp(at / 1000.0), status, error, duration, outcome, head
      FROM unnest($3::text[], $4::bigint[], $5::int[], $6::float8[], $7::int[], $8::text[], $9::int[], $10::text[],
        $11::text[]) AS g (webhook_id, message_id, attempt, at, status, error, duration, outcome, head)
    )
    DELETE FROM outgoing_attempt WHERE bot_id = $2 AND id <= (
      SELECT id FROM outgoing_attempt WHERE bot_id = $2 ORDER BY id DESC
      OFFSET greatest(0, ${keptAttempts} - cardinality($3::text[])) LIMIT 1)`,
});

const noteState = statement({
  name: "bot-service-failing",
  text: "UPDATE bot_service SET failing = $2 WHERE bot_id = $1 AND failing <> $2",
});

/** The result of a call. */
export interface EndedCall {
  readonly call: ClaimedCall;
  /** `ended` if nothing is to be said at all. */
  readonly verdict: Verdict | "ended";
  /** Undefined if no endpoint was called. */
  readonly attempt?: MadeAttempt | undefined;
}

/** An ended call whose row has not been taken over by another worker. */
interface CurrentCall extends EndedCall {
  readonly attempts: number;
  readonly ageMs: number;
  readonly place: Place | undefined;
  readonly verdict: Verdict | "ended";
}

/** What is written for a call. */
interface Settlement extends EndedCall {
  readonly outcome: "done" | "retry" | "failed" | "ended";
  readonly reason?: string | undefined;
  /** Whether it counts as an attempt. */
  readonly counts: boolean;
  /** Milliseconds until the next attempt; of retries only. */
  readonly delayMs?: number;
  readonly message?: CheckedMessage | undefined;
}

/**
 * Maximum copies of the replies that one transaction writes, unless one reply has more: the same as for messages that are
 * sent together.
 */
const maxCopies = 10_000;

/**
 * Stores what follows from calls of one bot, in one transaction: the bot's replies, the states of the calls, the attempts,
 * the messages about calls that are given up, and the slots. Stores nothing for a call that another worker has claimed
 * meanwhile.
 * @param slotIds slots to be released
 * @returns in the order of the calls; undefined for a call that does not fit into the transaction: it must be settled by
 *   another one
 */
export async function settleCalls(
  tx: Tx,
  site: Site,
  client: SendingClient,
  ended: readonly EndedCall[],
  slotIds: readonly number[],
): Promise<Array<SettledCall | undefined>> {
  const calls = ended.map(({ call }) => call);
  const [first] = calls;
  await lockConversations(tx, calls);
  const [rows, places] = await Promise.all([
    tx.rows(current, [
      calls.map(({ callId }) => callId),
      calls.map(({ version }) => version),
      calls.map(({ call }) => call),
    ]),
    placesOf(tx, calls),
    releaseSlots(tx, slotIds),
  ]);
  const now = new Map(rows.map((row) => [row.callId, row]));
  const held = ended.flatMap((one): CurrentCall[] => {
    const row = now.get(one.call.callId);
    if (!row) return [];
    const place = row.isActive ? places.get(one.call.messageId) : undefined;
    return [{ ...one, ...row, place, verdict: place ? one.verdict : "ended" }];
  });
  if (!first || held.length === 0) return ended.map(() => ({ outcome: "overtaken" }));
  const { realmId, botId } = first;
  const destinations = held.flatMap(({ place }) => place?.destination ?? []);
  const [, realm, checked] = await Promise.all([
    lockAudiencesShared(tx, channelsOf(destinations), [botId]),
    loadRealm(tx, realmId),
    checkTexts(tx, site, first, held.map(textOf)),
  ]);
  const settled = fitting(
    held.map((one, i) => settlementOf(one, checked[i])),
    maxCopies,
  );
  // Most replies are accepted, so that most groups need no second check.
  const refused = settled.map(({ outcome, message }, i) =>
    outcome === "failed" && !message ? failureOf(held[i]) : undefined,
  );
  const failures = refused.some(Boolean) ? await checkTexts(tx, site, first, refused) : [];
  const settlements = settled.map((one, i) => {
    const failure = failures[i];
    return failure && !(failure instanceof ApiError) ? { ...one, message: failure } : one;
  });
  const given = settlements.find(({ outcome }) => outcome === "failed");
  const notices = given ? await ownerNotice(tx, given.call, given.reason ?? "") : [];
  const outgoing = settlements.flatMap(({ call, outcome, message }): OutgoingMessage[] =>
    message
      ? [
          {
            ...message,
            clientId: client.id,
            clientName: client.name,
            readBySender: true,
            ...(outcome === "done" ? { outgoingCallId: call.callId } : {}),
          },
        ]
      : [],
  );
  const messages = [...outgoing, ...notices];
  const [sent] = await Promise.all([
    messages.length > 0 ? sendChecked(tx, realm, messages) : undefined,
    writeSettlements(tx, first, settlements),
  ]);
  if (sent) emit(tx, realmId, sent.events);
  const outcomes = new Map(settlements.map(({ call, outcome }) => [call.callId, { outcome }]));
  return ended.map(({ call: { callId } }) =>
    now.has(callId) ? outcomes.get(callId) : { outcome: "overtaken" },
  );
}

/** A text that the bot says, and where. */
interface Saying {
  readonly place: Place;
  readonly text: string;
}

/** Returns what the bot says about a call, as far as it is known before the reply was checked. */
function textOf(one: CurrentCall): Saying | undefined {
  const { place, verdict } = one;
  if (!place || verdict === "ended") return undefined;
  const known = outlived(verdict, one);
  if (known.kind === "failed") return { place, text: failureText };
  return known.kind === "done" && known.reply !== undefined
    ? { place, text: known.reply }
    : undefined;
}

/** Returns what the bot says about a call whose reply was refused. */
function failureOf(one: CurrentCall | undefined): Saying | undefined {
  return one?.place && { place: one.place, text: failureText };
}

/** Decides what is written for a call. @param checked what the check says of {@link textOf} */
function settlementOf(
  one: CurrentCall,
  checked: CheckedMessage | ApiError | undefined,
): Settlement {
  const { call, verdict, attempt, attempts } = one;
  const counted = attempt !== undefined;
  if (verdict === "ended") {
    const reason = "the bot or the message is gone";
    return { call, verdict, attempt, outcome: "ended", reason, counts: false };
  }
  const known = outlived(verdict, one);
  const base = { call, verdict, attempt };
  if (known.kind === "retry") {
    const delayMs = known.waitMs ?? pauseAfter(attempts + 1);
    return { ...base, outcome: "retry", reason: known.reason, counts: known.counts, delayMs };
  }
  if (known.kind === "failed") {
    const message = checked instanceof ApiError ? undefined : checked;
    return { ...base, outcome: "failed", reason: known.reason, counts: counted, message };
  }
  if (checked instanceof ApiError) {
    const reason = `the reply was refused: ${checked.message}`;
    return { ...base, outcome: "failed", reason, counts: counted };
  }
  return { ...base, outcome: "done", counts: counted, message: checked };
}

/** Returns the first settlements, whose messages have so many copies in all, but at least one. */
function fitting(settlements: readonly Settlement[], copies: number): readonly Settlement[] {
  let left = copies;
  const end = settlements.findIndex(({ message }, i) => {
    const isOver = left <= 0;
    const needed = message ? countCopies(message) : 0;
    left -= needed;
    return isOver || (i > 0 && left < 0 && needed > 0);
  });
  return end < 0 ? settlements : settlements.slice(0, end);
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
  return variedMs(pauses[Math.min(attempts, pauses.length) - 1] ?? 1);
}

interface Place {
  readonly destination: Destination;
  readonly topic: string;
}

const messagePlaces = statement({
  name: "outgoing-messages-place",
  text: `SELECT m.id, m.topic, r.channel_id AS "channelId", r.member_ids AS "memberIds"
    FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE m.id = ANY($1::bigint[]) AND m.realm_id = $2`,
});

/** Returns where the messages are now, by id; without those that were deleted. */
async function placesOf(tx: Tx, calls: readonly ClaimedCall[]): Promise<Map<number, Place>> {
  const rows = await tx.rows(messagePlaces, [
    calls.map(({ messageId }) => messageId),
    calls[0]?.realmId,
  ]);
  return new Map(
    rows.map(({ id, topic, channelId, memberIds }): [number, Place] => [
      id,
      channelId === null
        ? { topic: "", destination: { kind: "direct", userIds: memberIds ?? [] } }
        : { topic, destination: { kind: "channel", channelId } },
    ]),
  );
}

/** Checks what the bot says in the conversations of messages. Bots answer in channels that they may not post to. */
async function checkTexts(
  tx: Tx,
  site: Site,
  { realmId, botId }: ClaimedCall,
  sayings: ReadonlyArray<Saying | undefined>,
): Promise<Array<CheckedMessage | ApiError | undefined>> {
  const inputs = sayings.flatMap((saying) =>
    saying
      ? [
          {
            senderId: botId,
            destination: saying.place.destination,
            topic: saying.place.topic,
            topicIsStored: true,
            content: saying.text,
            isReply: true,
          },
        ]
      : [],
  );
  if (inputs.length === 0) return sayings.map(() => undefined);
  const { results } = await checkMessages(tx, site, realmId, inputs);
  let next = 0;
  return sayings.map((saying) => saying && results[next++]);
}

/** Writes the states of calls, their attempts and the state of the bot, and makes the next calls of conversations ready. */
async function writeSettlements(
  tx: Tx,
  { realmId, botId }: ClaimedCall,
  settlements: readonly Settlement[],
): Promise<void> {
  const retried = settlements.filter(({ outcome }) => outcome === "retry");
  const finished = settlements.filter(({ outcome }) => outcome !== "retry");
  const logged = settlements.flatMap(({ call, attempt, outcome, reason }) =>
    attempt
      ? [
          outcome === "ended"
            ? { call, attempt, outcome: "done", reason: undefined }
            : { call, attempt, outcome, reason },
        ]
      : [],
  );
  const last = settlements.findLast(({ outcome }) => outcome !== "ended");
  // One round trip: the connection runs them in this order.
  await Promise.all([
    logged.length > 0 &&
      tx.rows(log, [
        realmId,
        botId,
        logged.map(({ call }) => call.webhookId),
        logged.map(({ call }) => call.messageId),
        logged.map(({ call }) => call.call),
        logged.map(({ attempt }) => attempt.at),
        logged.map(({ attempt }) => attempt.status ?? null),
        logged.map(({ reason }) => reason ?? null),
        logged.map(({ attempt }) => Math.round(attempt.durationMs)),
        logged.map(({ outcome }) => outcome),
        logged.map(({ attempt }) =>
          firstCodePoints(attempt.responseHead.replaceAll("\0", "\ufffd"), keptCharacters),
        ),
      ]),
    last && tx.rows(noteState, [botId, last.outcome !== "done"]),
    retried.length > 0 &&
      tx.rows(retry, [
        retried.map(({ call }) => call.callId),
        retried.map(({ reason }) => reason ?? null),
        retried.map(({ counts }) => (counts ? 1 : 0)),
        retried.map(({ delayMs }) => delayMs ?? 0),
      ]),
    finished.length > 0 &&
      tx.rows(finish, [
        finished.map(({ call }) => call.callId),
        finished.map(({ outcome }) => (outcome === "failed" ? "dead" : outcome)),
        finished.map(({ reason }) => reason ?? null),
        finished.map(({ counts }) => (counts ? 1 : 0)),
      ]),
    wakeNextCalls(
      tx,
      botId,
      finished.map(({ call }) => call.conversation),
    ),
  ]);
  addJobsAfterCommit(
    tx,
    retried.map(({ call: { callId, version, call }, delayMs = 0 }) =>
      callJob({ callId, version, calls: call, delayMs }),
    ),
  );
}
