import { notNull, type Sql, statement, type Tx } from "@carillon/db";
import type { OutgoingOutcome } from "@carillon/outgoing";

import type { MadeAttempt } from "../bot-webhooks/settle-call.ts";
import { releaseSlot } from "../outgoing-calls/slots.ts";
import { keptAttempts, keptHead, logAttempt } from "./attempt-log.ts";
import type { SentBatch } from "./batch-progress.ts";
import {
  type ClaimedSubscription,
  destinationColumns,
  type SubscriptionDestination,
} from "./claim-batch.ts";
import { recordOwnerNotice } from "./owner-notices.ts";

/** Seconds to wait after a failure, by the number of failures in a row. The last value holds for all later failures. */
const pauses = [1, 5, 30, 120, 600, 1_800, 3_600, 7_200];

/** Maximum fraction by which a random pause differs from its value. */
const jitter = 0.2;

/** Bounds of a pause that the endpoint requested by `Retry-After`, in milliseconds. */
const askedFor = { min: 1_000, max: 3_600_000 };

/** Bytes of an answer that are read. */
export const maxEventAnswerBytes = 64 * 1024;

const lock = statement({
  name: "event-subscription-settle-lock",
  text: `SELECT id, generation, state, attempts,
      coalesce(extract(epoch FROM now() - failing_since), 0)::float8 AS "failingSeconds"
    FROM event_subscription WHERE id = $1 AND calls = $2 FOR NO KEY UPDATE`,
});

/** SQL: what an acknowledged batch changes in the subscription `s`, whose cursor goes to `$2`. */
const acknowledged = `cursor = $2, gap = false, attempts = 0,
      state = CASE WHEN s.state = 'failing' THEN 'active' ELSE s.state END,
      state_reason = CASE WHEN s.state = 'failing' THEN NULL ELSE s.state_reason END,
      failing_since = NULL, owner_told_at = NULL,
      earlier_filters = CASE WHEN s.earlier_filters = '[]' THEN '[]' ELSE
        jsonb_path_query_array(s.earlier_filters, '$[*] ? (@.until > $cursor)', jsonb_build_object('cursor', $2::bigint)) END`;

const acknowledge = statement({
  name: "event-subscription-acknowledge",
  text: `UPDATE event_subscription s SET ${acknowledged}, batch_to = NULL, batch_webhook_id = NULL, calling_until = NULL
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

/** The outcome of an attempt to send a batch. `overtaken`: another worker or a replay has taken its place. */
export interface SettledBatch {
  readonly outcome: "done" | "retry" | "failed" | "overtaken";
  /** Milliseconds until the next attempt. */
  readonly delayMs?: number;
}

const goOn = statement({
  name: "event-subscription-go-on",
  text: `WITH before AS (
      SELECT id, attempts FROM event_subscription
      WHERE id = $1 AND calls = $3 AND generation = $4 AND state IN ('active', 'failing') FOR NO KEY UPDATE
    ), going AS (
      UPDATE event_subscription s SET ${acknowledged}, batch_to = $5, batch_webhook_id = $6, calls = s.calls + 1,
        calling_until = clock_timestamp() + make_interval(secs => $7 / 1000.0)
      FROM before, realms r WHERE s.id = before.id AND r.id = s.realm_id
      RETURNING ${destinationColumns}, s.realm_id, before.attempts + 1 AS attempt
    ), slot AS (
      UPDATE outgoing_slot SET until = clock_timestamp() + make_interval(secs => $7 / 1000.0)
      WHERE id = $8 AND EXISTS (SELECT FROM going)
    ), logged AS (
      INSERT INTO outgoing_attempt (realm_id, subscription_id, webhook_id, first_event_id, last_event_id, events, attempt,
        attempted_at, status, duration_ms, outcome, response_head)
      SELECT realm_id, $1, $9, $10, $11, $12, attempt, to_timestamp($13 / 1000.0), $14, $15, 'done', $16 FROM going
    ), trimmed AS (
      DELETE FROM outgoing_attempt WHERE subscription_id = $1 AND id <= (
        SELECT id FROM outgoing_attempt WHERE subscription_id = $1 ORDER BY id DESC OFFSET ${keptAttempts - 1} LIMIT 1)
    )
    SELECT "botId", url, origin, gap, "secretSealed", "oldSecretSealed", subdomain, now FROM going`,
  overrides: { now: notNull },
});

/**
 * Stores that a batch was acknowledged, together with the limits of the next one, which is sent at once: one round trip.
 * @param next has events
 * @returns where the next batch is sent; undefined if nothing was stored, because the subscription has changed
 */
export async function acknowledgeAndGoOn(
  sql: Sql,
  { subscriptionId, call, generation, slotId }: ClaimedSubscription,
  { webhookId, batch }: SentBatch,
  attempt: MadeAttempt,
  next: SentBatch,
  forMs: number,
): Promise<SubscriptionDestination | undefined> {
  const [destination] = await sql.rows(goOn, [
    subscriptionId,
    batch.reached,
    call,
    generation,
    next.batch.reached,
    next.webhookId,
    forMs,
    slotId,
    webhookId,
    batch.firstId,
    batch.lastId,
    batch.events.length,
    attempt.at,
    attempt.status,
    Math.round(attempt.durationMs),
    keptHead(attempt),
  ]);
  return destination;
}

/**
 * Stores the result of a call in one transaction: the cursor or the time of the next attempt, the state and the log row. Ends
 * the claim. Stores nothing if another worker has claimed the subscription meanwhile.
 * @param next the batch after this one; if it has no events, the cursor skips it; undefined if none was read
 * @param disableDays days without a success that disable the subscription
 */
export async function settleBatch(
  tx: Tx,
  claimed: ClaimedSubscription,
  sent: SentBatch,
  { outcome, attempt }: { readonly outcome: OutgoingOutcome; readonly attempt: MadeAttempt },
  next: SentBatch | undefined,
  disableDays: number,
): Promise<SettledBatch> {
  const { subscriptionId: id, realmId, slotId } = claimed;
  const key = { name: "eventSubscriptions", keys: [id] } as const;
  const [now] = await tx.lock(key, lock, [id, claimed.call]);
  await releaseSlot(tx, slotId);
  if (!now) return { outcome: "overtaken" };
  const reason = reasonOf(outcome);
  const isDone = reason === undefined;
  const mayGoOn = now.state === "active" || now.state === "failing";
  const isCounted = now.generation === claimed.generation;
  const isGone = outcome.kind === "answered" && outcome.status === 410;
  const isOld = !isDone && now.failingSeconds >= disableDays * 86_400;
  const isDisabled = isCounted && mayGoOn && !isDone && (isGone || isOld);
  await logAttempt(tx, claimed, sent, { ...attempt, number: now.attempts + 1 }, reason, isDisabled);
  if (!isCounted) {
    await tx.rows(release, [id]);
    return { outcome: "overtaken" };
  }
  if (isDone) {
    const isPassed = next?.batch.events.length === 0;
    await tx.rows(acknowledge, [id, isPassed ? next.batch.reached : sent.batch.reached]);
    return { outcome: "done" };
  }
  if (!mayGoOn) {
    await tx.rows(release, [id]);
    return { outcome: "retry" };
  }
  if (isDisabled) {
    const why = isGone ? "status 410" : `failing for ${disableDays} days: ${reason}`;
    await tx.rows(disable, [id, why]);
    await recordOwnerNotice(tx, realmId, id, "disabled", `${id}-${claimed.call}`);
    return { outcome: "failed" };
  }
  const delayMs = pauseAfter(now.attempts + 1, outcome);
  await tx.rows(fail, [id, reason, delayMs]);
  return { outcome: "retry", delayMs };
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
