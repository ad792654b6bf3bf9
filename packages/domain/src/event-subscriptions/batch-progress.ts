import { type Sql, statement, type Tx } from "@carillon/db";
import type { EventBatch } from "@carillon/events";
import { randomKey } from "@carillon/kit";

import type { ClaimedSubscription } from "./claim-batch.ts";

/** A batch in progress. `webhookId`: the same for all attempts. */
export interface SentBatch {
  readonly webhookId: string;
  readonly batch: EventBatch;
}

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
