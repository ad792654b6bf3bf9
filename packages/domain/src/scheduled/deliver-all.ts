import { lookForDue } from "./claim.ts";
import { deliverBatch, deliveryBatch, type Batch, type DeliverOptions } from "./deliver.ts";
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
 * Rows of the first batch, at most; each after it has up to twice as many as the one before. So the first messages of a
 * burst need not wait for hundreds, and preparing and writing overlap early.
 */
const firstBatch = 100;

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, it may not go on, or the signal fires. While one is written the
 * next is prepared: a second transaction claims and checks its rows, and writes once the first has committed. The look
 * after a commit is what lets a second alarm end when it finds the organization being delivered: whatever was due before
 * the holder's last commit is seen by the holder.
 */
export async function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: {
    readonly maxBatches: number;
    /** Asked before each batch that follows another: whether this organization may have it now. */
    readonly mayGoOn?: (batches: number) => boolean;
    /** Rows of its first batch, at most, where it is known that many are due. */
    readonly firstBatch?: number;
    readonly onBatch?: (outcomes: readonly Outcome[]) => void;
  },
): Promise<DeliveryRun> {
  const largest = options.batch ?? deliveryBatch;
  let batch = Math.min(largest, run.firstBatch ?? firstBatch);
  let next: Batch | undefined;
  // Messages due within seconds have an alarm each, and the first of them sends all: the others end here.
  let look = await lookForDue(options.db, realmId);
  for (let batches = 0; next || look.due; batches++) {
    const may = (done: number) =>
      done < run.maxBatches &&
      !options.signal?.aborted &&
      (done === 0 || !run.mayGoOn || run.mayGoOn(done));
    if (!next && !may(batches)) return { more: true, elsewhere: false, now: look.now };
    const current: Batch = next ?? deliverBatch({ ...options, batch }, realmId);
    const following = current.writing.then((written) => {
      if (!written || !may(batches + 1)) return undefined;
      batch = Math.min(largest, 2 * written.ids.length);
      return deliverBatch({ ...options, batch }, realmId, written);
    });
    const end = await current.end.catch(async (error: unknown) => {
      await (await following)?.end.catch(() => {});
      throw error;
    });
    next = await following;
    if (end.kind === "elsewhere") return { more: false, elsewhere: true, now: look.now };
    if (end.kind === "done" && end.outcomes.length > 0) {
      run.onBatch?.(end.outcomes);
      // Where messages have many copies few go together: not many more are looked at than that.
      if (!next) batch = Math.min(largest, 2 * end.outcomes.length);
    }
    if (!next) look = await lookForDue(options.db, realmId);
  }
  return { more: false, elsewhere: false, now: look.now };
}
