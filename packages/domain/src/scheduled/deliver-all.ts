import { lookForDue } from "./claim.ts";
import { deliverBatch, type DeliverOptions } from "./deliver.ts";
import type { Outcome } from "./outcome.ts";

export interface DeliveryRun {
  /** Something is still due: go on in another job, so that other organizations get their turn. */
  readonly more: boolean;
  /** The database's clock at the end, UNIX seconds with a fraction. */
  readonly now: number;
}

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, or `signal` fires. The look after each
 * commit is what lets a second alarm end when it finds the organization being delivered: whatever was due before
 * the holder's last commit is seen by the holder.
 */
export async function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: { maxBatches: number; signal: AbortSignal; onBatch?: (outcomes: readonly Outcome[]) => void },
): Promise<DeliveryRun> {
  for (let batches = 1; ; batches++) {
    const { held, outcomes } = await deliverBatch(options, realmId);
    run.onBatch?.(outcomes);
    const look = await lookForDue(options.db, realmId);
    if (!held || !look.due) return { more: false, now: look.now };
    if (batches >= run.maxBatches || run.signal.aborted) return { more: true, now: look.now };
  }
}
