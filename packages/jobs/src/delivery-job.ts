import { deliverDue, tooSoonMs, type DeliverDue } from "./definitions/deliver-due.ts";
import type { Publication } from "./job.ts";

/** A row of `scheduled_messages` that is to be sent, as its delivery job needs it. */
export interface PendingDelivery {
  readonly realmId: number;
  readonly scheduledMessageId: number;
  /** The row's version, which rises with each edit. */
  readonly version: number;
  /** UNIX seconds */
  readonly deliverAt: number;
}

/** Delivery jobs are added for messages due within this many milliseconds, a day; the relay adds the others later. */
export const deliveryJobHorizonMs = 24 * 3_600_000;

/**
 * Returns the delivery job of a row. Messages due in the same second share one. A message due too soon gets its own,
 * because the job of its second may be running already, and adding that again would do nothing.
 * @param now UNIX milliseconds, by the clock that the queue compares with
 * @param shared whether to use the job of the second; decided by `now` unless given
 */
export function deliveryJob(
  delivery: PendingDelivery,
  now: number,
  shared?: boolean,
): Publication<DeliverDue> & { readonly shared: boolean } {
  const { realmId, scheduledMessageId, version, deliverAt } = delivery;
  const delayMs = Math.max(0, deliverAt * 1_000 - now);
  const payload = { realmId, second: Math.floor(deliverAt) };
  const isShared = shared ?? delayMs >= tooSoonMs;
  return {
    job: deliverDue,
    payload: isShared ? payload : { ...payload, scheduledMessageId, version },
    delayMs,
    shared: isShared,
  };
}
