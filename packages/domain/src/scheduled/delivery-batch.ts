import { isTransient, type Tx } from "@carillon/db";
import { type State, StateMachine } from "@carillon/kit";
import { loadRealm, type Realm } from "@carillon/model";

import { claimDue, claimThese } from "./claim.ts";
import { deliverOneByOne } from "./deliver-one-by-one.ts";
import { awaitDeliveryLock, configureDelivery, tryDeliveryLock } from "./delivery-lock.ts";
import { deliveryBatch, deliveryBytes, type DeliverOptions } from "./delivery-options.ts";
import { isReminder, type DueRow } from "./due-row.ts";
import { splitAtConditions } from "./evaluate-conditions.ts";
import type { Outcome } from "./outcome.ts";
import {
  canPrepareEarly,
  locksDestination,
  makeRows,
  numberRows,
  prepareRows,
  startedBy,
  type NumberedRows,
  type PreparedRows,
} from "./prepare-rows.ts";
import { hasExpensiveTexts, hasManyNames } from "./text-cost.ts";
import { uncountTries } from "./tries.ts";
import { writeRows } from "./write-rows.ts";

/*
 * The states of a batch, which is one transaction:
 *
 *   first batch         claiming ─▶ checking ─────────────▶ numbering ─▶ writing ─▶ committed
 *   next batch, early   claiming ─▶ checking ─▶ waiting ──▶ numbering ─▶ writing ─▶ committed
 *   next batch, late    claiming ─▶ waiting ──▶ checking ─▶ numbering ─▶ writing ─▶ committed
 *
 *   claiming ─────────────────▶ unparsed     long texts or many names: to be parsed before the claim
 *   claiming, waiting ────────▶ elsewhere    another transaction has the delivery lock
 *   claiming to waiting ──────▶ abandoned    the batch before it did not commit
 *   claiming to writing ──────▶ rolledBack   an error; then one of:
 *     rolledBack ─▶ retrying ─▶ retried      its rows were sent or failed one by one
 *     rolledBack ─────────────▶ abandoned    the batch before it did not commit
 *     rolledBack, retrying ───▶ failed       an error that says nothing about the rows
 *
 * The next batch is prepared while this one is written:
 *
 *                  lock     claim    check   number    write              COMMIT
 *   this batch     ──●────────●────────●───────●─────────●──────────────────●
 *                                              │numbering│writing           │committed
 *                                              ▼         ▼                  ▼
 *   next batch                               claim, check, number, make    lock    write    COMMIT
 *                                              ──●─────●──────●─────●───────●────────●────────●
 */
type BatchState =
  | State<"claiming">
  | State<"checking", Claimed>
  | State<"waiting", Claimed>
  | State<"numbering", Checked>
  | State<"writing", Checked>
  | State<"rolledBack", Claimed>
  | State<"retrying", Claimed>
  | BatchEnd
  | State<"failed", { readonly error: unknown }>;

/** How a batch ended. Rows are written in `committed` and in `retried` only. */
export type BatchEnd =
  | State<"committed", { readonly outcomes: readonly Outcome[] }>
  | State<"retried", { readonly outcomes: readonly Outcome[] }>
  | State<"unparsed">
  | State<"elsewhere">
  | State<"abandoned">;

interface Claimed {
  readonly rows: readonly DueRow[];
}

interface Checked extends Claimed {
  /** Undefined if no next batch may be prepared. */
  readonly inFlight: RowsInFlight | undefined;
}

const ends = ["committed", "retried", "unparsed", "elsewhere", "abandoned", "failed"] as const;
const afterTransaction = [...ends, "rolledBack", "retrying"] as const;
const afterNumbering = [...afterTransaction, "writing"] as const;
const afterCheck = [...afterNumbering, "numbering"] as const;

/** The states that each end of the transaction may follow. */
const leadingTo = {
  committed: ["writing"],
  unparsed: ["claiming"],
  elsewhere: ["claiming", "waiting"],
  abandoned: ["claiming", "checking", "waiting", "rolledBack"],
  rolledBack: ["claiming", "checking", "waiting", "numbering", "writing"],
  retried: ["retrying"],
  failed: ["rolledBack", "retrying"],
} as const satisfies Readonly<Record<string, ReadonlyArray<BatchState["kind"]>>>;

/** What the preparation of the next batch must know about the rows that this batch is writing. */
export interface RowsInFlight {
  readonly batch: DeliveryBatch;
  readonly ids: readonly number[];
  /** Bytes of their texts. */
  readonly bytes: number;
  /** Topics and conversations that their messages start. */
  readonly started: ReadonlySet<string>;
}

export interface BatchPlan {
  /** The rows before this batch: it writes nothing before they are committed. */
  readonly previous?: RowsInFlight | undefined;
  /** Rows to deliver, whose texts have been parsed; the next rows in order unless given. */
  readonly ids?: readonly number[];
  /**
   * Rows in which this try has been counted, `ids` among them. The count is undone in rows that the batch leaves out.
   * No next batch is prepared while this one is written.
   */
  readonly counted?: readonly number[];
  /**
   * Whether the one row is sent out of order: the batch does not take the delivery lock, so that the organization's other
   * messages are sent meanwhile.
   */
  readonly single?: boolean;
}

/**
 * Delivers one batch of an organization's due messages (scheduled-messages.md §5). It commits as a whole or not at all,
 * so each message is sent exactly once even after a crash. A rejected message fails its row alone. After an unexpected
 * error the batch rolls back and its rows are retried one by one.
 */
export class DeliveryBatch {
  readonly #options: DeliverOptions;
  readonly #realmId: number;
  readonly #plan: BatchPlan;
  readonly #machine = new StateMachine<BatchState>("a delivery batch", { kind: "claiming" });

  /** Starts the delivery immediately. */
  constructor(options: DeliverOptions, realmId: number, plan: BatchPlan = {}) {
    this.#options = options;
    this.#realmId = realmId;
    this.#plan = plan;
    void this.#run();
  }

  /** Resolves when the next batch may be prepared: with the rows in flight, or undefined if none may be. */
  async inFlight(): Promise<RowsInFlight | undefined> {
    const state = await this.#machine.until(afterCheck);
    return "inFlight" in state ? state.inFlight : undefined;
  }

  /** Resolves with true when its messages have their ids, so that later ids are higher; with false after a rollback. */
  async hasIds(): Promise<boolean> {
    const { kind } = await this.#machine.until(afterNumbering);
    return kind === "writing" || kind === "committed";
  }

  /** Resolves with true after the COMMIT, with false when there will be none. */
  async hasCommitted(): Promise<boolean> {
    return (await this.#machine.until(afterTransaction)).kind === "committed";
  }

  /**
   * Resolves when it has ended.
   * @throws the error of a lost connection, a deadlock or a lock timeout: the rows are still pending
   */
  async end(): Promise<BatchEnd> {
    const state = await this.#machine.until(ends);
    if (state.kind === "failed") throw state.error;
    return state;
  }

  async #run(): Promise<void> {
    const { db } = this.#options;
    const end = await db
      .transaction((tx) => this.#deliver(tx), { attempts: 1 })
      .catch((error: unknown) => this.#recover(error));
    this.#machine.move(leadingTo[end.kind], end);
  }

  async #deliver(tx: Tx): Promise<BatchEnd> {
    const { previous, ids, counted } = this.#plan;
    const [isFree, realm] = await Promise.all([this.#takeLock(tx), loadRealm(tx, this.#realmId)]);
    // Messages of a deactivated organization wait until it is reactivated. Messages of a read-only organization wait until
    // it is reopened, or the installation to which it moves sends them. The next look finds nothing due.
    if (isFree === false || realm.deactivated || realm.isReadOnly) return { kind: "elsewhere" };
    const given = counted ?? ids;
    const found = await this.#claim(tx, given);
    if (!given && (hasExpensiveTexts(found) || hasManyNames(found))) return { kind: "unparsed" };
    const wanted = ids ? found.filter(({ id }) => ids.includes(id)) : found;
    const rows = splitAtConditions(splitAtTopicMentions(wanted));
    const prepared = previous
      ? await this.#prepareBehind(previous, tx, realm, rows)
      : await this.#check(tx, realm, rows);
    if ("kind" in prepared) return prepared;
    if (counted) uncountTries(tx, found.slice(prepared.rows.length));
    return { kind: "committed", outcomes: await this.#write(tx, prepared) };
  }

  /**
   * Resolves with false if another transaction has the delivery lock. A batch behind another takes it later, and a single
   * row not at all: the lock of the row keeps others from sending it.
   */
  #takeLock(tx: Tx): Promise<boolean | void> {
    const { previous, counted, single } = this.#plan;
    if (single) return configureDelivery(tx, "single");
    if (previous) return configureDelivery(tx);
    return counted ? awaitDeliveryLock(tx, this.#realmId) : tryDeliveryLock(tx, this.#realmId);
  }

  #claim(tx: Tx, ids: readonly number[] | undefined): Promise<DueRow[]> {
    if (ids) return claimThese(tx, this.#realmId, ids);
    const { batch = deliveryBatch, bytes = deliveryBytes } = this.#options;
    const taken = this.#plan.previous?.ids ?? [];
    return claimDue(tx, this.#realmId, { rows: batch, bytes, taken });
  }

  /** Prepares the rows as far as that is possible before the previous batch has committed, and the rest after it. */
  async #prepareBehind(
    previous: RowsInFlight,
    tx: Tx,
    realm: Realm,
    rows: readonly DueRow[],
  ): Promise<PreparedRows | NumberedRows | BatchEnd> {
    const early = canPrepareEarly(realm, rows) ? await this.#check(tx, realm, rows) : undefined;
    if (!(await previous.batch.hasIds())) return { kind: "abandoned" };
    const made = early && (await makeRows(tx, early));
    this.#machine.move([early ? "checking" : "claiming"], { kind: "waiting", rows });
    if (!(await previous.batch.hasCommitted())) return { kind: "abandoned" };
    if (!(await tryDeliveryLock(tx, this.#realmId))) return { kind: "elsewhere" };
    return made ?? early ?? (await this.#check(tx, realm, rows));
  }

  #check(tx: Tx, realm: Realm, rows: readonly DueRow[]): Promise<PreparedRows> {
    this.#machine.move(["claiming", "waiting"], { kind: "checking", rows });
    return prepareRows(this.#options, tx, realm, rows, this.#plan.previous?.started);
  }

  async #write(tx: Tx, prepared: PreparedRows | NumberedRows): Promise<Outcome[]> {
    const { rows } = prepared;
    const inFlight = this.#rowsInFlight(prepared);
    this.#machine.move(["checking", "waiting"], { kind: "numbering", rows, inFlight });
    // Other messages to the channel or conversation wait for its lock, and each wait counts as a failed try of them.
    if (this.#plan.single && locksDestination(prepared)) await configureDelivery(tx, "batch");
    const numbered = "messages" in prepared ? prepared : await numberRows(tx, prepared);
    this.#machine.move(["numbering"], { kind: "writing", rows, inFlight });
    return writeRows(this.#options, tx, numbered);
  }

  /** Returns undefined if the next batch must not be prepared, or the rows do not fill a batch. */
  #rowsInFlight(prepared: PreparedRows): RowsInFlight | undefined {
    const { rows } = prepared;
    const { batch = deliveryBatch, bytes: maxBytes = deliveryBytes } = this.#options;
    const bytes = sumBytes(rows);
    const isFull = this.#plan.ids || rows.length === batch || bytes >= maxBytes / 2;
    const started = isFull && !this.#plan.counted ? startedBy(prepared) : undefined;
    return started && { batch: this, ids: rows.map(({ id }) => id), bytes, started };
  }

  /** Leaves the transaction after an error, and retries its rows one by one if the error may be due to one of them. */
  async #recover(error: unknown): Promise<BatchEnd | State<"failed", { readonly error: unknown }>> {
    const { state } = this.#machine;
    const rows = "rows" in state ? state.rows : [];
    this.#machine.move(leadingTo.rolledBack, { kind: "rolledBack", rows });
    const { previous } = this.#plan;
    if (previous && !(await previous.batch.hasCommitted())) return { kind: "abandoned" };
    const { log, signal } = this.#options;
    if (signal?.aborted || isTransient(error) || rows.length === 0)
      return { kind: "failed", error };
    log.error(
      { err: error, realmId: this.#realmId, rows: rows.length },
      "delivery batch failed; retrying its rows one by one",
    );
    this.#machine.move(["rolledBack"], { kind: "retrying", rows });
    try {
      const outcomes = await deliverOneByOne(this.#options, this.#realmId, rows);
      return { kind: "retried", outcomes };
    } catch (failure) {
      return { kind: "failed", error: failure };
    }
  }
}

function sumBytes(rows: readonly DueRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Returns the rows before the first message that mentions its topic's participants, or that message alone if it comes
 * first: such a message depends on who sent to the topic before.
 */
function splitAtTopicMentions(rows: readonly DueRow[]): readonly DueRow[] {
  const first = rows.findIndex(mentionsTopic);
  return first < 0 ? rows : rows.slice(0, Math.max(first, 1));
}

function mentionsTopic(row: DueRow): boolean {
  return !isReminder(row) && row.content.includes("@**topic**");
}
