import { asDeliverer, lookForDue } from "./claim.ts";
import { deliverInLine, type InLine } from "./deliver-in-line.ts";
import type { DeliverOptions } from "./deliver.ts";

export interface DeliveryRun {
  /** Something is still due: go on in another job, so that other organizations get their turn. */
  readonly more: boolean;
  /** The database's clock at the end, UNIX seconds with a fraction. */
  readonly now: number;
}

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, or `signal` fires. The look after the lock
 * is given back is what lets a second alarm end when it finds the organization being delivered: whatever was due
 * before that is seen by the holder.
 */
export async function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: InLine,
): Promise<DeliveryRun> {
  // Messages due within seconds have an alarm each, and the first of them sends all: the others end here.
  let look = await lookForDue(options.db, realmId);
  for (let batches = 0; look.due; look = await lookForDue(options.db, realmId)) {
    if (batches >= run.maxBatches || run.signal.aborted) return { more: true, now: look.now };
    const left = { ...run, maxBatches: run.maxBatches - batches };
    const done = await asDeliverer(options.db, realmId, () =>
      deliverInLine(options, realmId, left),
    );
    if (done === undefined) break;
    batches += Math.max(done, 1);
  }
  return { more: false, now: look.now };
}
