import { type Sql, statement, type Tx } from "@carillon/db";
import type { EventBatch } from "@carillon/events";
import { sendNotice } from "@carillon/jobs";
import { firstCodePoints, randomKey } from "@carillon/kit";
import type { OutgoingOutcome } from "@carillon/outgoing";
import { recordIntents } from "@carillon/outbox";

import type { MadeAttempt } from "../bot-webhooks/settle-call.ts";
import { extendSlot, releaseSlot } from "../outgoing-calls/slots.ts";
import type { ClaimedSubscription } from "./claim-batch.ts";

/** Seconds to wait after a failure, by the number of failures in a row. The last value holds for all later failures. */
const pauses = [1, 5, 30, 120, 600, 1_800, 3_600, 7_200];

/** Maximum fraction by which a random pause differs from its value. */
const jitter = 0.2;

/** Bounds of a pause that the endpoint requested by `Retry-After`, in milliseconds. */
const askedFor = { min: 1_000, max: 3_600_000 };

/** Number of logged attempts that are kept for a subscription. */
const keptAttempts = 100;

/** Characters of an answer that are kept. */
const keptCharacters = 1_024;

/** Bytes of an answer that are read. */
export const maxEventAnswerBytes = 64 * 1024;

const advance = statement({
  name: "event-subscription-advance",
  text: `UPDATE event_subscription SET cursor = $4, gap = gap OR $5
    WHERE id = $1 AND calls = $2 AND generation = $3 AND batch_to IS NULL`,
});

const store = statement({
  name: "event-subscription-batch",
  text: `UPDATE event_subscription SET cursor = $4, gap = gap OR $5, batch_to = $6, batch_webhook_id = $7
    WHERE id = $1 AND calls = $2 AND generation = $3 RETURNING id`,
});

/** Makes the id of a new batch. */
export function newBatchId(): string {
  return `events_${randomKey(24)}`;
}

/**
 * Stores the limits of a batch before its first attempt. For a batch without events, moves the cursor past the skipped ones.
 * @returns false if the subscription has changed, so that the batch must not be sent
 */
export async function storeBatch(
  tx: Tx,
  { subscriptionId, call, generation }: ClaimedSubscription,
  {
    after,
    batch,
    webhookId,
  }: { readonly after: number; readonly batch: EventBatch; readonly webhookId: string },
): Promise<boolean> {
  const claim = [subscriptionId, call, generation];
  const isGap = batch.from > after;
  if (batch.events.length === 0) {
    await tx.rows(advance, [...claim, batch.reached, isGap]);
    return true;
  }
  const stored = await tx.first(store, [...claim, batch.from, isGap, batch.reached, webhookId]);
  return stored !== undefined;
}

const forget = statement({
  name: "event-subscription-forget-batch",
  text: `UPDATE event_subscription SET batch_to = NULL, batch_webhook_id = NULL
    WHERE id = $1 AND calls = $2 AND generation = $3`,
});

/** Drops the limits of a batch that cannot be read again. */
export async function forgetBatch(
  sql: Sql,
  { subscriptionId, call, generation }: ClaimedSubscription,
): Promise<void> {
  await sql.rows(forget, [subscriptionId, call, generation]);
}

const lock = statement({
  name: "event-subscription-settle-lock",
  text: `SELECT id, generation, state, attempts,
      coalesce(extract(epoch FROM now() - failing_since), 0)::float8 AS "failingSeconds"
    FROM event_subscription WHERE id = $1 AND calls = $2 FOR NO KEY UPDATE`,
});

const acknowledge = statement({
  name: "event-subscription-acknowledge",
  text: `UPDATE event_subscription SET cursor = $2, gap = false, batch_to = $3, batch_webhook_id = $4, attempts = 0,
      state = CASE WHEN state = 'failing' THEN 'active' ELSE state END,
      state_reason = CASE WHEN state = 'failing' THEN NULL ELSE state_reason END,
      failing_since = NULL, owner_told_at = NULL,
      earlier_filters = CASE WHEN earlier_filters = '[]' THEN '[]' ELSE
        jsonb_path_query_array(earlier_filters, '$[*] ? (@.until > $cursor)', jsonb_build_object('cursor', $2::bigint)) END,
      calls = calls + ($3::bigint IS NOT NULL)::int,
      calling_until = CASE WHEN $3::bigint IS NOT NULL THEN clock_timestamp() + make_interval(secs => $5 / 1000.0) END
    WHERE id = $1`,
});

const fail = statement({
  name: "event-subscription-fail",
  text: `UPDATE event_subscription SET state = 'failing', state_reason = $2, attempts = attempts + 1,
      failing_since = coalesce(failing_since, now()), calling_until = NULL,
      next_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
    WHERE id = $1`,
});

const disable = statement({
  name: "event-subscription-disable",
  text: `UPDATE event_subscription SET state = 'disabled', state_reason = $2, failing_since = NULL, next_at = NULL,
      calling_until = NULL
    WHERE id = $1`,
});

const release = statement({
  name: "event-subscription-release",
  text: "UPDATE event_subscription SET calling_until = NULL WHERE id = $1",
});

/** A batch in progress. `webhookId`: the same for all attempts. */
export interface SentBatch {
  readonly webhookId: string;
  readonly batch: EventBatch;
}

/** The outcome of an attempt to send a batch. `overtaken`: another worker or a replay has taken its place. */
export interface SettledBatch {
  readonly outcome: "done" | "retry" | "failed" | "overtaken";
  /** Milliseconds until the next attempt. */
  readonly delayMs?: number;
  /** Whether the next batch is to be sent at once, under the same claim. */
  readonly continues: boolean;
}

/**
 * Stores the result of a call in one transaction: the cursor or the time of the next attempt, the state, the log row, and the
 * limits of the next batch. Stores nothing if another worker has claimed the subscription meanwhile.
 * @param next the batch after this one, to be sent at once if this one was acknowledged; if it has no events, the cursor skips
 *   it; undefined if none was read
 * @param limits `disableDays`: days without a success that disable the subscription; `forMs`: milliseconds for which the claim
 *   of the next call holds
 */
export async function settleBatch(
  tx: Tx,
  claimed: ClaimedSubscription,
  sent: SentBatch,
  { outcome, attempt }: { readonly outcome: OutgoingOutcome; readonly attempt: MadeAttempt },
  next: SentBatch | undefined,
  { disableDays, forMs }: { readonly disableDays: number; readonly forMs: number },
): Promise<SettledBatch> {
  const { subscriptionId: id, realmId, slotId } = claimed;
  const key = { name: "eventSubscriptions", keys: [id] } as const;
  const [now] = await tx.lock(key, lock, [id, claimed.call]);
  const reason = reasonOf(outcome);
  const isDone = reason === undefined;
  const mayGoOn = now?.state === "active" || now?.state === "failing";
  const isCounted = now?.generation === claimed.generation;
  const goesOn = isDone && isCounted && mayGoOn && (next?.batch.events.length ?? 0) > 0;
  if (goesOn) await extendSlot(tx, slotId, forMs);
  else await releaseSlot(tx, slotId);
  if (!now) return { outcome: "overtaken", continues: false };
  const isGone = outcome.kind === "answered" && outcome.status === 410;
  const isOld = !isDone && now.failingSeconds >= disableDays * 86_400;
  const isDisabled = isCounted && mayGoOn && !isDone && (isGone || isOld);
  await logAttempt(tx, claimed, sent, { ...attempt, number: now.attempts + 1 }, reason, isDisabled);
  if (!isCounted) {
    await tx.rows(release, [id]);
    return { outcome: "overtaken", continues: false };
  }
  if (isDone) {
    const isPassed = next?.batch.events.length === 0;
    const cursor = isPassed ? next.batch.reached : sent.batch.reached;
    const limits = goesOn ? [next?.batch.reached, next?.webhookId] : [null, null];
    await tx.rows(acknowledge, [id, cursor, ...limits, forMs]);
    return { outcome: "done", continues: goesOn };
  }
  if (!mayGoOn) {
    await tx.rows(release, [id]);
    return { outcome: "retry", continues: false };
  }
  if (isDisabled) {
    const why = isGone ? "status 410" : `failing for ${disableDays} days: ${reason}`;
    await tx.rows(disable, [id, why]);
    await recordOwnerNotice(tx, realmId, id, "disabled", `${id}-${claimed.call}`);
    return { outcome: "failed", continues: false };
  }
  const delayMs = pauseAfter(now.attempts + 1, outcome);
  await tx.rows(fail, [id, reason, delayMs]);
  return { outcome: "retry", delayMs, continues: false };
}

/** Returns why a call failed; undefined if it was answered with a status 2xx. */
export function reasonOf(outcome: OutgoingOutcome): string | undefined {
  if (outcome.kind !== "answered") return outcome.reason;
  return outcome.status >= 200 && outcome.status < 300 ? undefined : `status ${outcome.status}`;
}

/** Returns the pause after this many failures in a row, in milliseconds. */
function pauseAfter(failures: number, outcome: OutgoingOutcome): number {
  if (
    outcome.kind === "answered" &&
    (outcome.status === 429 || outcome.status === 503) &&
    outcome.retryAfterMs !== undefined
  )
    return Math.min(Math.max(outcome.retryAfterMs, askedFor.min), askedFor.max);
  const seconds = pauses[Math.min(failures, pauses.length) - 1] ?? 1;
  return Math.round(seconds * 1_000 * (1 + jitter * (2 * Math.random() - 1)));
}

/** Records a job that sends the owner of the bot a direct message about the state of a subscription. */
export async function recordOwnerNotice(
  tx: Tx,
  realmId: number,
  subscriptionId: number,
  what: "failing" | "disabled",
  key: string,
): Promise<void> {
  await recordIntents(tx, realmId, sendNotice, [
    {
      key: `event-subscription-${what}-${key}`,
      payload: { kind: "event-subscription", subscriptionId, what },
    },
  ]);
}

const write = statement({
  name: "event-attempt-log",
  text: `WITH logged AS (
      INSERT INTO outgoing_attempt (realm_id, subscription_id, webhook_id, first_event_id, last_event_id, events, attempt,
        attempted_at, status, error, duration_ms, outcome, response_head)
      VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0), $9, $10, $11, $12, $13)
    )
    DELETE FROM outgoing_attempt WHERE subscription_id = $2 AND id <= (
      SELECT id FROM outgoing_attempt WHERE subscription_id = $2 ORDER BY id DESC OFFSET ${keptAttempts - 1} LIMIT 1)`,
});

/** Logs an attempt, and deletes all but the last {@link keptAttempts} of the subscription. */
export async function logAttempt(
  tx: Tx,
  { realmId, subscriptionId }: Pick<ClaimedSubscription, "realmId" | "subscriptionId">,
  { webhookId, batch }: { readonly webhookId: string; readonly batch?: EventBatch },
  attempt: MadeAttempt & { readonly number: number },
  reason: string | undefined,
  isLast: boolean,
): Promise<void> {
  await tx.rows(write, [
    realmId,
    subscriptionId,
    webhookId,
    batch?.firstId ?? null,
    batch?.lastId ?? null,
    batch?.events.length ?? 0,
    attempt.number,
    attempt.at,
    attempt.status ?? null,
    reason ?? null,
    Math.round(attempt.durationMs),
    reason === undefined ? "done" : isLast ? "failed" : "retry",
    firstCodePoints(attempt.responseHead.replaceAll("\0", "\ufffd"), keptCharacters),
  ]);
}
