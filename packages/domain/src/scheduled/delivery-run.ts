import { isTransient, type Tx } from "@carillon/db";
import type { State } from "@carillon/kit";

import { peekDue } from "./claim.ts";
import {
  DeliveryBatch,
  type BatchEnd,
  type BatchPlan,
  type RowsInFlight,
} from "./delivery-batch.ts";
import { tryDeliveryLock } from "./delivery-lock.ts";
import { deliveryBatch, deliveryBytes, type DeliverOptions } from "./delivery-options.ts";
import { readDueRows } from "./due-row.ts";
import { loadDueState } from "./due-state.ts";
import { giveUp, isGivenUp } from "./give-up.ts";
import type { Outcome, UnreadFailure } from "./outcome.ts";
import { parseAhead } from "./parse-ahead.ts";
import { type CountedRow, countBatchTry, countSingleTry, endLeases } from "./tries.ts";

/*
 *   looking ─┬─ rows without failed tries ──▶ delivering ⟲ while a next batch is prepared
 *            ├─ rows of failed batches ─────▶ retrying
 *            ├─ a row to be tried singly ───▶ retryingSingle
 *            └─ nothing is due, or this run may not deliver it ──▶ ended
 *
 *   delivering, retrying, retryingSingle ─┬─▶ looking
 *                                         └─ another transaction has the delivery lock ──▶ ended
 */
type RunState =
  | State<"looking">
  | State<"delivering", { readonly batch: DeliveryBatch }>
  /** `attempts` is how often the first row was in a batch that failed. */
  | State<"retrying", { readonly attempts: number }>
  | State<"retryingSingle">
  | State<"ended", Pick<DeliveryRun, "more" | "elsewhere">>;

const looking = { kind: "looking" } as const;
const ended = { kind: "ended", more: false, elsewhere: false } as const;
const endedWithMore = { ...ended, more: true };
const endedElsewhere = { ...ended, elsewhere: true };

export interface DeliveryRun {
  /** Messages are still due: continue in another job, so that other organizations are delivered meanwhile. */
  readonly more: boolean;
  /**
   * Messages are due, and another transaction has the delivery lock. It delivers them after its next commit, unless its
   * process hangs or has died: look again once the lock is free.
   */
  readonly elsewhere: boolean;
  /** The database's clock at the end, UNIX seconds with a fraction. */
  readonly now: number;
}

export interface RunOptions {
  readonly maxBatches: number;
  /** Called before each batch but the first: whether this organization may deliver another one now. */
  readonly canContinue?: (batches: number, bytes: number) => boolean;
  /** Maximum rows of its first batch; given if many are known to be due. */
  readonly firstBatch?: number;
  /** Maximum bytes of text of its first batch. */
  readonly firstBytes?: number;
  /** Whether delivery may have failed here before: batches begin small, and each try is counted first. */
  readonly careful?: boolean;
  readonly onBatch?: (outcomes: ReadonlyArray<Outcome | UnreadFailure>) => void;
}

/**
 * Maximum rows of the first batch. Each batch after it has up to twice as many as the previous one, so that the first
 * messages of a burst need not wait for hundreds, and preparing and writing overlap early.
 */
const firstBatch = 100;

/**
 * Rows of the first careful batch. Each batch after it has twice as many. Rows of a failed batch are tried in batches of half
 * the size after each failure: 8, 4 and 2 rows, and then singly (`batchTries`).
 */
const firstCarefulBatch = 16;

/** A run begins no further batch after this time, in milliseconds: each must end before the deadline of the job. */
const maxRunMs = 8_000;

/**
 * Delivers batch after batch until nothing is due, `maxBatches` are done, `canContinue` refuses or the signal fires.
 * While one batch is written the next is prepared (delivery-batch.ts). It looks once more after its last commit, so a
 * second delivery job may end when it finds the delivery lock taken: the holder sees whatever was due before that commit.
 *
 * A batch with long texts is parsed before its rows are claimed (`parseAhead`). If delivery may have failed before,
 * each try is counted in its rows by a separate commit before it begins, so that a row that kills its worker reaches
 * the maximum number of tries and fails (docs/decisions/046).
 */
export function deliverAll(
  options: DeliverOptions,
  realmId: number,
  run: RunOptions,
): Promise<DeliveryRun> {
  return new Delivery(options, realmId, run).deliver();
}

class Delivery {
  readonly #options: DeliverOptions;
  readonly #realmId: number;
  readonly #run: RunOptions;
  readonly #maxRows: number;
  readonly #maxBytes: number;
  readonly #startedAt = performance.now();
  /** Maximum rows of the next batch, and maximum bytes of its texts. */
  #rows: number;
  #bytes: number;
  #batches = 0;
  #bytesDone = 0;
  /** Whether texts are so long that they are parsed before the rows are claimed. */
  #parsesAhead = false;
  /** The database's clock at the last look. */
  #now = 0;

  constructor(options: DeliverOptions, realmId: number, run: RunOptions) {
    this.#options = options;
    this.#realmId = realmId;
    this.#run = run;
    this.#maxRows = options.batch ?? deliveryBatch;
    this.#maxBytes = options.bytes ?? deliveryBytes;
    const first = run.careful ? firstCarefulBatch : (run.firstBatch ?? firstBatch);
    this.#rows = Math.min(this.#maxRows, first);
    this.#bytes = Math.min(this.#maxBytes, run.firstBytes ?? deliveryBytes);
  }

  async deliver(): Promise<DeliveryRun> {
    let state: RunState = looking;
    while (state.kind !== "ended") state = await this.#step(state);
    return { more: state.more, elsewhere: state.elsewhere, now: this.#now };
  }

  #step(state: Exclude<RunState, State<"ended">>): Promise<RunState> {
    switch (state.kind) {
      case "looking":
        return this.#look();
      case "delivering":
        return this.#deliver(state.batch);
      case "retrying":
        return this.#retry(state.attempts);
      case "retryingSingle":
        return this.#retrySingle();
    }
  }

  async #look(): Promise<RunState> {
    // A message scheduled only seconds before it is due has its own delivery job. The first of these jobs to run sends all
    // due messages, and the others end here.
    const due = await loadDueState(this.#options.db, this.#realmId);
    this.#now = due.now;
    if (due.attempts === null && !due.single) return ended;
    if (!this.#canBegin()) return endedWithMore;
    if (due.attempts === null)
      // A row that is tried singly may need the whole time of a job.
      return this.#batches > 0 ? endedWithMore : { kind: "retryingSingle" };
    if (due.isTried) return endedElsewhere;
    if (this.#run.careful || due.attempts > 0) return { kind: "retrying", attempts: due.attempts };
    const batch = this.#parsesAhead ? await this.#parseBatch() : this.#begin();
    return batch ? { kind: "delivering", batch } : looking;
  }

  /** Whether another batch may begin after this number of batches and bytes. */
  #canBegin(batches = this.#batches, bytes = this.#bytesDone): boolean {
    const { maxBatches, canContinue } = this.#run;
    if (batches >= maxBatches || this.#options.signal?.aborted) return false;
    if (batches === 0) return true;
    return (
      performance.now() - this.#startedAt < maxRunMs && (canContinue?.(batches, bytes) ?? true)
    );
  }

  #begin(plan?: BatchPlan, parser?: DeliverOptions["parser"]): DeliveryBatch {
    const options = { ...this.#options, batch: this.#rows, bytes: this.#bytes };
    return new DeliveryBatch(parser ? { ...options, parser } : options, this.#realmId, plan);
  }

  /** Parses the texts of the next rows and begins to deliver them; returns undefined when no rows are due. */
  async #parseBatch(previous?: RowsInFlight): Promise<DeliveryBatch | undefined> {
    const limits = { rows: this.#rows, bytes: this.#bytes, taken: previous?.ids ?? [] };
    const rows = await peekDue(this.#options.db, this.#realmId, limits);
    if (rows.length === 0) return undefined;
    const { ids, parser } = await parseAhead(this.#options, this.#realmId, rows);
    return this.#begin({ previous, ids }, parser);
  }

  /** Waits for the end of a batch, and prepares the next one meanwhile. */
  async #deliver(batch: DeliveryBatch): Promise<RunState> {
    const preparing = this.#prepareNext(batch);
    preparing.catch(() => {});
    const end = await batch.end().catch(async (error: unknown) => {
      await (await preparing.catch(() => undefined))?.end().catch(() => {});
      throw error;
    });
    const next = await preparing;
    this.#note(end, next !== undefined);
    if (end.kind === "elsewhere") return endedElsewhere;
    return next ? { kind: "delivering", batch: next } : looking;
  }

  async #prepareNext(batch: DeliveryBatch): Promise<DeliveryBatch | undefined> {
    const inFlight = await batch.inFlight();
    if (!inFlight || !this.#canBegin(this.#batches + 1, this.#bytesDone + inFlight.bytes))
      return undefined;
    this.#grow(inFlight.ids.length);
    return this.#parsesAhead ? this.#parseBatch(inFlight) : this.#begin({ previous: inFlight });
  }

  /**
   * Doubles the next batch. Its size follows the rows that were delivered, not the limit: if messages have many copies, few
   * fit into a batch, and claiming many more would be wasted.
   */
  #grow(delivered: number): void {
    this.#rows = Math.min(this.#maxRows, 2 * delivered);
    this.#bytes = Math.min(this.#maxBytes, 2 * this.#bytes);
  }

  #note(end: BatchEnd, nextIsPrepared: boolean): void {
    if (end.kind === "unparsed") this.#parsesAhead = true;
    else this.#batches++;
    if ("outcomes" in end) this.#noteOutcomes(end.outcomes, nextIsPrepared);
  }

  #noteOutcomes(outcomes: readonly Outcome[], nextIsPrepared: boolean): void {
    if (outcomes.length === 0) return;
    this.#bytesDone += outcomes.reduce((sum, { row }) => sum + row.bytes, 0);
    this.#run.onBatch?.(outcomes);
    if (!nextIsPrepared) this.#grow(outcomes.length);
  }

  /** Delivers a batch whose try is counted first. No other batch is prepared beside it. */
  async #retry(attempts: number): Promise<RunState> {
    const rows =
      attempts === 0 ? this.#rows : Math.min(this.#rows, firstCarefulBatch / 2 ** attempts);
    const limits = { rows, bytes: this.#bytes };
    const counted = await this.#count((tx) => countBatchTry(tx, this.#realmId, limits));
    // No rows: another job is trying them.
    if (!counted || counted.length === 0) return endedElsewhere;
    try {
      return await this.#deliver(await this.#beginCounted(counted));
    } catch (error) {
      const ids = counted.map(({ id }) => id);
      await endLeases(this.#options.db, ids).catch(() => {});
      throw error;
    }
  }

  async #beginCounted(counted: readonly CountedRow[], single = false): Promise<DeliveryBatch> {
    const rows = await readDueRows(this.#options.db, counted);
    const { ids, parser } = await parseAhead(this.#options, this.#realmId, rows);
    return this.#begin({ ids, counted: counted.map(({ id }) => id), single }, parser);
  }

  /** Tries one row that was in batches which failed, or fails it after too many tries. */
  async #retrySingle(): Promise<RunState> {
    const { log, signal } = this.#options;
    const counted = await this.#count((tx) => countSingleTry(tx, this.#realmId));
    if (!counted) return endedElsewhere;
    const [row] = counted;
    if (!row) return ended;
    if (isGivenUp(row)) {
      this.#batches++;
      this.#run.onBatch?.(await giveUp(this.#options, this.#realmId, row));
      return looking;
    }
    try {
      return await this.#deliver(await this.#beginCounted(counted, true));
    } catch (error) {
      if (signal?.aborted || !isTransient(error)) throw error;
      log.warn(
        { err: error, realmId: this.#realmId, scheduledMessageId: row.id, attempts: row.attempts },
        "scheduled message could not be sent in a batch of its own; retrying later",
      );
      return looking;
    }
  }

  /** Counts a try in a separate transaction; returns undefined when another transaction has the delivery lock. */
  #count(countTry: (tx: Tx) => Promise<CountedRow[]>): Promise<CountedRow[] | undefined> {
    return this.#options.db.transaction(
      async (tx) => ((await tryDeliveryLock(tx, this.#realmId)) ? countTry(tx) : undefined),
      { attempts: 1 },
    );
  }
}
