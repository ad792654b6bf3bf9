import { statement, type Tx } from "@carillon/db";
import type { EventBatch } from "@carillon/events";
import { firstCodePoints } from "@carillon/kit";

import type { MadeAttempt } from "../bot-webhooks/settle-call.ts";
import type { ClaimedSubscription } from "./claim-batch.ts";

/** Number of logged attempts that are kept for a subscription. */
export const keptAttempts = 100;

/** Characters of an answer that are kept. */
const keptCharacters = 1_024;

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
    keptHead(attempt),
  ]);
}

/** Returns the part of an answer that the log keeps. */
export function keptHead({ responseHead }: MadeAttempt): string {
  return firstCodePoints(responseHead.replaceAll("\0", "\ufffd"), keptCharacters);
}
