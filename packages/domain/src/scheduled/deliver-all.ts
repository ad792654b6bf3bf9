import { lookForDue } from "./claim.ts";
import { deliverBatch, deliveryBatch, type DeliverOptions } from "./deliver.ts";
import { DeliveryMemory } from "./look-ahead.ts";
import type { Outcome } from "./outcome.ts";

export interface DeliveryRun {
  /** Something is still due: go on in another job, so that other organizations get their turn. */
  readonly more: boolean;
  /** The database's clock at the end, UNIX seconds with a fraction. */
  readonly now: number;
}

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, or `signal` fires. The look after the last
 * commit is what lets a second alarm end when it finds the organization being delivered: whatever was due before
 * that commit is seen by the holder.
 */
export async function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: {
    maxBatches: number;
    signal: AbortSignal;
    onBatch?: (outcomes: readonly Outcome[]) => void;
  },
): Promise<DeliveryRun> {
  // Messages due within seconds have an alarm each, and the first of them sends all: the others end here.
  const first = await lookForDue(options.db, realmId);
  if (!first.due) return { more: false, now: first.now };
  const memory = new DeliveryMemory();
  const full = options.batch ?? deliveryBatch;
  try {
    for (let batches = 1; ; batches++) {
      const { held, outcomes } = await deliverBatch(options, realmId, memory);
      run.onBatch?.(outcomes);
      const enough = batches >= run.maxBatches || run.signal.aborted;
      // After a full batch there is more, or the next claim finds nothing: no need to look.
      if (held && outcomes.length === full && !enough) continue;
      const look = await lookForDue(options.db, realmId);
      if (!held || !look.due) return { more: false, now: look.now };
      if (enough) return { more: true, now: look.now };
    }
  } finally {
    await memory.settled();
  }
}
