import { isPassing } from "@carillon/db";

import {
  becomeDeliverer,
  beginTries,
  beginTryAlone,
  endTries,
  lookForDue,
  peekDue,
  type BatchLimits,
  type DueLook,
  type DueRow,
} from "./claim.ts";
import {
  deliverBatch,
  deliveryBatch,
  deliveryBytes,
  type Batch,
  type BatchPlan,
  type DeliverOptions,
  type Written,
} from "./deliver.ts";
import type { Outcome } from "./outcome.ts";
import { readAhead } from "./read-ahead.ts";
import { giveUp, isGivenUp } from "./try-alone.ts";

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

export interface RunOptions {
  readonly maxBatches: number;
  /** Asked before each batch that follows another: whether this organization may have it now. */
  readonly mayGoOn?: (batches: number, bytes: number) => boolean;
  /** Rows of its first batch, at most, where it is known that many are due. */
  readonly firstBatch?: number;
  /** Bytes of text of its first batch, at most. */
  readonly firstBytes?: number;
  /** Whether delivering may have failed here before: batches begin small, and each try is counted first. */
  readonly careful?: boolean;
  readonly onBatch?: (outcomes: readonly Outcome[]) => void;
}

/**
 * Rows of the first batch, at most; each after it has up to twice as many as the one before. So the first messages of a
 * burst need not wait for hundreds, and preparing and writing overlap early.
 */
const firstBatch = 100;

/** Rows of the first careful batch; each after it has twice as many. */
const firstTry = 16;

/** Rows of a careful batch whose first row was in so many that failed: a fourth each time, and then they go alone. */
const triedRows = [Infinity, 8, 2];

/** A run begins no further batch after this time, in milliseconds: each is to end before the deadline of the job. */
const longestRunMs = 8_000;

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, it may not go on, or the signal fires. While one is written the
 * next is prepared: a second transaction claims and checks its rows, and writes once the first has committed. The look
 * after a commit is what lets a second alarm end when it finds the organization being delivered: whatever was due before
 * the holder's last commit is seen by the holder.
 *
 * A batch with long texts is read before its rows are claimed (`readAhead`). Where something may have failed before, each
 * try is counted in its rows and committed before it begins, so that one row which kills its worker comes to an end too
 * (docs/decisions/046).
 */
export function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: RunOptions,
): Promise<DeliveryRun> {
  return new Delivery(options, realmId, run).deliver();
}

/** What a step of a run came to. */
type Step = "done" | "elsewhere" | "later";

class Delivery {
  readonly #options: DeliverOptions;
  readonly #realmId: number;
  readonly #run: RunOptions;
  readonly #largest: number;
  readonly #began = performance.now();
  /** Rows of the next batch, and bytes of its text, at most. */
  #rows: number;
  #bytes: number;
  #batches = 0;
  #bytesDone = 0;
  /** Whether texts are so long that they are read ahead. */
  #readsAhead = false;
  #next: Batch | undefined;

  constructor(options: DeliverOptions, realmId: number, run: RunOptions) {
    this.#options = options;
    this.#realmId = realmId;
    this.#run = run;
    this.#largest = options.batch ?? deliveryBatch;
    const first = run.careful ? firstTry : (run.firstBatch ?? firstBatch);
    this.#rows = Math.min(this.#largest, first);
    this.#bytes = Math.min(options.bytes ?? deliveryBytes, run.firstBytes ?? deliveryBytes);
  }

  async deliver(): Promise<DeliveryRun> {
    const { db } = this.#options;
    // Messages due within seconds have an alarm each, and the first of them sends all: the others end here.
    let look = await lookForDue(db, this.#realmId);
    const ended = (more: boolean, elsewhere = false) => ({ more, elsewhere, now: look.now });
    while (this.#next || look.attempts !== null || look.alone) {
      if (!this.#next && !this.#may()) return ended(true);
      // It has the whole time of a job.
      if (!this.#next && look.attempts === null && this.#batches > 0) return ended(true);
      const step = await this.#step(look);
      if (step === "elsewhere") return ended(false, true);
      if (step === "later") return ended(false);
      if (!this.#next) look = await lookForDue(db, this.#realmId);
    }
    return ended(false);
  }

  async #step(look: DueLook): Promise<Step> {
    if (this.#next) return this.#batch(this.#next);
    if (look.isTried) return "elsewhere";
    if (look.attempts === null) return this.#tryAlone();
    if (this.#run.careful || look.attempts > 0) return this.#tryCarefully(look.attempts);
    return this.#batchOf();
  }

  /** Whether another batch may begin. */
  #may(batches = this.#batches, bytes = this.#bytesDone): boolean {
    const { maxBatches, mayGoOn } = this.#run;
    if (batches >= maxBatches || this.#options.signal?.aborted) return false;
    if (batches === 0) return true;
    return performance.now() - this.#began < longestRunMs && (mayGoOn?.(batches, bytes) ?? true);
  }

  /** A batch of the rows that come next, none of which has been tried carefully. */
  async #batchOf(): Promise<Step> {
    if (!this.#readsAhead) return this.#batch(this.#deliver());
    const batch = await this.#readBatch();
    return batch ? this.#batch(batch) : "done";
  }

  #deliver(plan?: BatchPlan, reader?: DeliverOptions["reader"]): Batch {
    const options = { ...this.#options, batch: this.#rows, bytes: this.#bytes };
    return deliverBatch(reader ? { ...options, reader } : options, this.#realmId, plan);
  }

  /** Reads the texts of the rows that come next, and begins to deliver them; undefined where there are none. */
  async #readBatch(before?: Written): Promise<Batch | undefined> {
    const limits: BatchLimits = {
      rows: this.#rows,
      bytes: this.#bytes,
      taken: before?.ids ?? [],
    };
    const rows = await peekDue(this.#options.db, this.#realmId, limits);
    if (rows.length === 0) return undefined;
    const { ids, reader } = await readAhead(this.#options, this.#realmId, rows);
    return this.#deliver({ before, ids }, reader);
  }

  /** Sees a batch to its end, while the next one is prepared. */
  async #batch(current: Batch): Promise<Step> {
    this.#next = undefined;
    const following = current.writing.then((written) => this.#follow(written));
    following.catch(() => {});
    const end = await current.end.catch(async (error: unknown) => {
      await (await following.catch(() => undefined))?.end.catch(() => {});
      throw error;
    });
    this.#next = await following;
    this.#batches++;
    if (end.kind === "elsewhere") return "elsewhere";
    if (end.kind === "unread") {
      this.#readsAhead = true;
      this.#batches--;
    } else if (end.kind === "done") this.#note(end.outcomes);
    return "done";
  }

  #follow(written: Written | undefined): Promise<Batch | undefined> | Batch | undefined {
    if (!written || !this.#may(this.#batches + 1, this.#bytesDone + written.bytes))
      return undefined;
    this.#grow(written.ids.length);
    return this.#readsAhead ? this.#readBatch(written) : this.#deliver({ before: written });
  }

  /** Where messages have many copies few go together: not many more are looked at than that. */
  #grow(delivered: number): void {
    this.#rows = Math.min(this.#largest, 2 * delivered);
    this.#bytes = Math.min(this.#options.bytes ?? deliveryBytes, 2 * this.#bytes);
  }

  #note(outcomes: readonly Outcome[]): void {
    if (outcomes.length === 0) return;
    this.#bytesDone += outcomes.reduce((sum, { row }) => sum + row.bytes, 0);
    this.#run.onBatch?.(outcomes);
    if (!this.#next) this.#grow(outcomes.length);
  }

  /** A batch whose try is counted first, with none beside it. @param tried how often its first row was tried before */
  async #tryCarefully(tried: number): Promise<Step> {
    const rows = Math.min(this.#rows, triedRows[tried] ?? 1);
    const limits = { rows, bytes: this.#bytes };
    const begun = await this.#begin((tx) => beginTries(tx, this.#realmId, limits));
    // Where there are none, another job tries them.
    if (!begun || begun.length === 0) return "elsewhere";
    try {
      return await this.#batch(await this.#deliverCounted(begun));
    } catch (error) {
      const ids = begun.map(({ id }) => id);
      await endTries(this.#options.db, ids).catch(() => {});
      throw error;
    }
  }

  async #deliverCounted(rows: readonly DueRow[]): Promise<Batch> {
    const { ids, reader } = await readAhead(this.#options, this.#realmId, rows);
    return this.#deliver({ ids, counted: rows.map(({ id }) => id) }, reader);
  }

  /** A try of one row that was in every batch which failed; it fails where it was tried too often. */
  async #tryAlone(): Promise<Step> {
    const { log, signal } = this.#options;
    const begun = await this.#begin((tx) => beginTryAlone(tx, this.#realmId));
    if (!begun) return "elsewhere";
    const [row] = begun;
    if (!row) return "later";
    if (isGivenUp(row)) {
      this.#batches++;
      this.#note(await giveUp(this.#options, this.#realmId, row));
      return "done";
    }
    try {
      return await this.#batch(await this.#deliverCounted(begun));
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      log.warn(
        { err: error, realmId: this.#realmId, scheduledMessageId: row.id, attempts: row.attempts },
        "a due message could not be sent by itself; it is tried again later",
      );
      return "done";
    }
  }

  /** Counts a try, in a transaction of its own; undefined where another one delivers here. */
  #begin(
    begin: (tx: Parameters<typeof beginTryAlone>[0]) => Promise<DueRow[]>,
  ): Promise<DueRow[] | undefined> {
    return this.#options.db.transaction(
      async (tx) => ((await becomeDeliverer(tx, this.#realmId)) ? begin(tx) : undefined),
      { attempts: 1 },
    );
  }
}
