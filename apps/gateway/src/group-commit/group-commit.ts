import { RequestDeadline } from "@carillon/db";

import type { BatchHandler } from "./batch-handler.ts";
import { BatchMember } from "./batch-member.ts";
import { BatchQueue, type BatchQueueParts } from "./batch-queue.ts";

/** The organization and the account of a request. */
interface Sender {
  readonly id: number;
  readonly realmId: number;
}

/** The load of the queue of an operation. */
interface AnyQueue {
  readonly waiting: number;
}

/** Writes requests, several in one transaction while others are being written. */
export interface RequestWriter {
  /**
   * Writes the request and returns its result; when its deadline ends first, nothing is written (http-contract.md §8).
   * @throws ApiError its rejection; 503 if too many wait
   */
  write<Request, Result>(
    handler: BatchHandler<Request, Result>,
    sender: Sender,
    request: Request,
  ): Promise<Result>;
  /** How many requests wait for a transaction. */
  readonly waiting: number;
  /** Returns the same for the work of one request. */
  within(deadline: RequestDeadline): RequestWriter;
}

/**
 * Group commit: requests of one operation and organization that arrive while others are being written share the next
 * transaction (docs/decisions/033).
 */
export class GroupCommit implements RequestWriter {
  readonly #parts: BatchQueueParts;
  /** By operation and organization; a queue without requests is removed. */
  readonly #queues = new Map<object, Map<number, AnyQueue>>();

  /** Called with the seconds that each request waited before its transaction began. */
  onBegin: ((seconds: number) => void) | undefined;

  constructor(parts: BatchQueueParts) {
    this.#parts = { ...parts, onBegin: (seconds) => this.onBegin?.(seconds) };
  }

  write<Request, Result>(
    handler: BatchHandler<Request, Result>,
    { id, realmId }: Sender,
    request: Request,
    deadline = new RequestDeadline(),
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const weight = handler.weigh(request);
      this.#queueOf(handler, realmId).add(
        new BatchMember({ accountId: id, weight, request, deadline, resolve, reject }),
      );
    });
  }

  within(deadline: RequestDeadline): RequestWriter {
    return new RequestWriterWithin(this, deadline);
  }

  get waiting(): number {
    return this.#all().reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** How many queues have requests. */
  get queues(): number {
    return this.#all().length;
  }

  #all(): AnyQueue[] {
    return [...this.#queues.values()].flatMap((queues) => [...queues.values()]);
  }

  #queueOf<Request, Result>(
    handler: BatchHandler<Request, Result>,
    realmId: number,
  ): BatchQueue<Request, Result> {
    let queues = this.#queues.get(handler);
    if (!queues) this.#queues.set(handler, (queues = new Map<number, AnyQueue>()));
    // All queues of a handler have its types.
    const known = queues.get(realmId) as BatchQueue<Request, Result> | undefined;
    if (known) return known;
    const onClose = () => queues.delete(realmId);
    const made = new BatchQueue(this.#parts, handler, { onClose });
    queues.set(realmId, made);
    return made;
  }
}

/** {@link RequestWriter} for one request. A class for the same reason as `BoundDatabase`. */
class RequestWriterWithin implements RequestWriter {
  readonly #group: GroupCommit;
  readonly #deadline: RequestDeadline;

  constructor(group: GroupCommit, deadline: RequestDeadline) {
    this.#group = group;
    this.#deadline = deadline;
  }

  write<Request, Result>(
    handler: BatchHandler<Request, Result>,
    sender: Sender,
    request: Request,
  ): Promise<Result> {
    return this.#group.write(handler, sender, request, this.#deadline);
  }

  get waiting(): number {
    return this.#group.waiting;
  }

  within(deadline: RequestDeadline): RequestWriter {
    return this.#group.within(deadline);
  }
}
