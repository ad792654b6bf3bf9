import { errors } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { singleRequest, type BatchContext, type BatchOutcome } from "@carillon/domain";
import { assertState, type Logger } from "@carillon/kit";
import type { Site } from "@carillon/model";

import { groupBounds, LeavingBatch, type BatchHandler, type GroupBounds } from "./batch-handler.ts";
import type { BatchMember } from "./batch-member.ts";
import { FairQueue } from "./fair-queue.ts";
import { runBatch } from "./run-batch.ts";

/*
 *             add                  no request waits, but a serial queue exists
 *   idle ──────────────▶ running ──────────────────────────────────────────▶ idle
 *                        │  │  ▲                                               │
 *                        │  └──┘ next batch                                    │ the last serial queue closes
 *                        └───────────── no request waits ──────▶ closed ◀──────┘
 *
 * A batch is one transaction. After it, each of its requests is answered (`committed`, `rejected`), waits again at the
 * front (`retryLater`), or moves to the serial queue of the lock or limit that it needs (`serialize`). A serial queue
 * is a batch queue whose transactions hold one request and may block. A batch that rolled back because a client hung up,
 * or because a request must leave it, runs again without that request; one that failed is split into single requests
 * (run-batch.ts).
 */
type QueueState = "idle" | "running" | "closed";

/** `Retry-After` of a request that is shed, in seconds. */
const retryAfter = 1;

export interface BatchQueueParts {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  readonly bounds?: Partial<GroupBounds> | undefined;
  /** Called with the seconds that a request waited before its transaction began. */
  readonly onBegin?: (seconds: number) => void;
}

interface QueueOptions {
  /** Whether this is the serial queue of one key. */
  readonly isSerial?: boolean;
  /** Called when the queue has closed: no request is left in it or in its serial queues. */
  readonly onClose: () => void;
}

/** Rolls back the transaction of a single request that is not committed. */
class NotCommitted<Result> extends Error {
  constructor(readonly outcome: BatchOutcome<Result>) {
    super("the request is not committed");
  }
}

/**
 * The requests of one operation and organization in this gateway. A request that arrives while none is written starts
 * at once; those that arrive meanwhile share the next transaction.
 */
export class BatchQueue<Request, Result> {
  readonly #parts: BatchQueueParts;
  readonly #bounds: GroupBounds;
  readonly #handler: BatchHandler<Request, Result>;
  readonly #context: BatchContext;
  readonly #options: QueueOptions;
  readonly #waiting = new FairQueue<BatchMember<Request, Result>>();
  /** Queues of the requests that run one by one, by the key that they need. */
  readonly #serial = new Map<number, BatchQueue<Request, Result>>();
  #state: QueueState = "idle";
  /** Maximum requests of the next batch. Reduced after a batch that could not take all of its requests. */
  #batchSize: number;

  constructor(
    parts: BatchQueueParts,
    handler: BatchHandler<Request, Result>,
    options: QueueOptions,
  ) {
    const { isSerial = false } = options;
    this.#parts = parts;
    this.#bounds = { ...groupBounds, ...parts.bounds, ...(isSerial && { requests: 1 }) };
    this.#handler = handler;
    this.#options = options;
    this.#context = isSerial
      ? singleRequest
      : { canBlock: false, isSerialized: (key) => this.#serial.has(key) };
    this.#batchSize = this.#bounds.requests;
  }

  /** How many requests wait, in its serial queues too. */
  get waiting(): number {
    const serial = [...this.#serial.values()];
    return serial.reduce((sum, queue) => sum + queue.waiting, this.#waiting.length);
  }

  add(member: BatchMember<Request, Result>): void {
    assertState("a batch queue", this.#state, "idle", "running");
    if (this.#state === "idle") {
      void this.#run([member]);
      return;
    }
    member.deadline.onEnd(() => {
      if (this.#waiting.remove(member)) member.reject(member.deadline.reason);
    });
    this.#waiting.add(member);
    this.#shedLoad();
  }

  /** If too many wait, rejects the latest requests of the account that has most of them. */
  #shedLoad(): void {
    const { waiting: most, waitingWeight } = this.#bounds;
    const waiting = this.#waiting;
    while (waiting.length > most || waiting.weight > waitingWeight) {
      const last = waiting.lastOfLargest(waiting.length > most ? () => 1 : ({ weight }) => weight);
      if (!last) return;
      waiting.remove(last);
      last.reject(errors.tooBusy(retryAfter));
    }
  }

  /** Leaves `idle`: writes batch after batch until no request waits. */
  async #run(first: ReadonlyArray<BatchMember<Request, Result>>): Promise<void> {
    assertState("a batch queue", this.#state, "idle");
    this.#state = "running";
    let members = first;
    while (members.length > 0) {
      for (const member of members) {
        member.begin();
        this.#parts.onBegin?.((performance.now() - member.since) / 1_000);
      }
      await this.#write(members);
      members = this.#waiting.take(this.#batchSize, this.#bounds.weight);
    }
    this.#rest();
  }

  /** Leaves `running`, when no request waits. */
  #rest(): void {
    assertState("a batch queue", this.#state, "running");
    this.#state = "idle";
    if (this.#serial.size === 0) this.#close();
  }

  /** Leaves `idle` permanently. */
  #close(): void {
    assertState("a batch queue", this.#state, "idle");
    this.#state = "closed";
    this.#options.onClose();
  }

  /** Writes running members until each is answered or waits again. */
  async #write(members: ReadonlyArray<BatchMember<Request, Result>>): Promise<void> {
    let rest = members;
    let failure: unknown;
    while (rest.length > 1 && failure === undefined) {
      const end = await this.#writeBatch(rest);
      if (end.kind === "answered") return;
      rest = end.kind === "divided" ? this.#divide(rest, end.outcomes) : end.members;
      if (end.kind === "failed") failure = end.failure;
    }
    if (failure !== undefined)
      this.#parts.log.error(
        { err: failure, requests: rest.length },
        "batch of requests failed; retrying them one by one",
      );
    for (const member of rest) await this.#writeSingle(member);
  }

  /** Settles the members that leave a batch; returns the others. */
  #divide(
    members: ReadonlyArray<BatchMember<Request, Result>>,
    outcomes: LeavingBatch["outcomes"],
  ): ReadonlyArray<BatchMember<Request, Result>> {
    const leaving = members.filter((_, i) => outcomes[i]);
    this.#settle(
      leaving,
      outcomes.flatMap((outcome) => outcome ?? []),
    );
    return members.filter((_, i) => !outcomes[i]);
  }

  #writeBatch(members: ReadonlyArray<BatchMember<Request, Result>>) {
    const requests = members.map(({ request }) => request);
    return runBatch(
      this.#parts.db,
      members,
      (tx) => this.#callHandler(tx, requests),
      (outcomes) => this.#settle(members, outcomes),
    );
  }

  async #writeSingle(member: BatchMember<Request, Result>): Promise<void> {
    const { deadline, request } = member;
    const { connectionLimit } = deadline;
    // Otherwise the whole queue would wait while the account of this request has used up its connections.
    if (!this.#context.canBlock) deadline.connectionLimit = undefined;
    try {
      const result = await this.#parts.db.within(deadline).transaction(
        async (tx) => {
          const [outcome] = await this.#callHandler(tx, [request]);
          if (outcome?.kind !== "committed") throw new NotCommitted(outcome!);
          return outcome.result;
        },
        { reusesPlans: true },
      );
      this.#grow();
      member.resolve(result);
    } catch (error) {
      if (error instanceof NotCommitted) this.#settle([member], [error.outcome]);
      else if (error instanceof LeavingBatch) this.#divide([member], error.outcomes);
      else member.reject(error);
    } finally {
      deadline.connectionLimit = connectionLimit;
    }
  }

  async #callHandler(
    tx: Tx,
    requests: readonly Request[],
  ): Promise<ReadonlyArray<BatchOutcome<Result>>> {
    const { site } = this.#parts;
    const outcomes = await this.#handler.write(tx, site, requests, this.#context);
    checkOutcomes(outcomes, requests.length);
    return outcomes;
  }

  /** Answers members, or has them wait again, by their outcomes. */
  #settle(
    members: ReadonlyArray<BatchMember<Request, Result>>,
    outcomes: ReadonlyArray<BatchOutcome<Result>>,
  ): void {
    const later: Array<BatchMember<Request, Result>> = [];
    for (const [i, member] of members.entries()) {
      const outcome = outcomes[i]!;
      if (outcome.kind === "committed") {
        if (members.length > 1) member.deadline.commits++;
        member.resolve(outcome.result);
      } else if (outcome.kind === "rejected") member.reject(outcome.error);
      else if (member.hasEnded) member.reject(member.deadline.reason);
      else {
        member.waitAgain();
        if (outcome.kind === "retryLater") later.push(member);
        else this.#serialize(member, outcome.key);
      }
    }
    this.#waiting.putBack(later);
    if (later.length > 0) this.#batchSize = members.length - later.length;
    else this.#grow();
  }

  #grow(): void {
    this.#batchSize = Math.min(2 * this.#batchSize, this.#bounds.requests);
  }

  /** Moves a waiting member to the serial queue of the key. */
  #serialize(member: BatchMember<Request, Result>, key: number): void {
    let queue = this.#serial.get(key);
    if (!queue) {
      const onClose = () => {
        this.#serial.delete(key);
        if (this.#state === "idle" && this.#serial.size === 0) this.#close();
      };
      queue = new BatchQueue(this.#parts, this.#handler, { isSerial: true, onClose });
      this.#serial.set(key, queue);
    }
    queue.add(member);
  }
}

/** Throws an Error if a handler breaks the rules of {@link BatchOutcome}: a bug in our code. */
function checkOutcomes(outcomes: ReadonlyArray<BatchOutcome<unknown>>, requests: number): void {
  if (outcomes.length !== requests)
    throw new Error(
      `a batch handler returned ${outcomes.length} outcomes for ${requests} requests`,
    );
  if (outcomes[0]?.kind === "retryLater")
    throw new Error("a batch handler returned retryLater for the first request");
}
