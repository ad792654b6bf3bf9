import { lookForDue } from "./claim.ts";
import { deliverBatch, type DeliverOptions } from "./deliver.ts";
import type { Outcome } from "./outcome.ts";

export interface DeliveryRun {
  /** Something is still due: go on in another job, so that other organizations get their turn. */
  readonly more: boolean;
  /**
   * Something is due, and another transaction is delivering here. It sees to it after its next commit, unless its
   * process is frozen or gone: then somebody has to look again once its lock is free.
   */
  readonly elsewhere: boolean;
  /** The database's clock at the end, UNIX seconds with a fraction. */
  readonly now: number;
}

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, or the signal fires. The look after each
 * commit is what lets a second alarm end when it finds the organization being delivered: whatever was due before
 * the holder's last commit is seen by the holder.
 */
export async function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: {
    readonly maxBatches: number;
    readonly onBatch?: (outcomes: readonly Outcome[]) => void;
  },
): Promise<DeliveryRun> {
  // Messages due within seconds have an alarm each, and the first of them sends all: the others end here.
  let look = await lookForDue(options.db, realmId);
  for (let batches = 0; look.due; look = await lookForDue(options.db, realmId)) {
    if (batches >= run.maxBatches || options.signal?.aborted)
      return { more: true, elsewhere: false, now: look.now };
    const outcomes = await deliverBatch(options, realmId);
    if (outcomes === undefined) return { more: false, elsewhere: true, now: look.now };
    run.onBatch?.(outcomes);
    batches++;
  }
  return { more: false, elsewhere: false, now: look.now };
}
