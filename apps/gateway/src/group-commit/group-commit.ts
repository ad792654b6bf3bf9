import { Lifetime } from "@carillon/db";

import type { Batch } from "./batch.ts";
import { Lane, type LaneParts } from "./lane.ts";

/** Whose request it is. */
interface Sender {
  readonly id: number;
  readonly realmId: number;
}

/** What there is to know of a lane of any operation. */
interface Busy {
  readonly waiting: number;
}

/** Writes requests, together with others where some are being written already. */
export interface Grouped {
  /**
   * What the request comes to; when its lifetime ends first, nothing of it happens (http-contract.md §8).
   * @throws ApiError its refusal; 503 where too many wait
   */
  write<Request, Result>(
    batch: Batch<Request, Result>,
    sender: Sender,
    request: Request,
  ): Promise<Result>;
  /** How many requests wait until others have been written. */
  readonly waiting: number;
  /** The same for the work of one request. */
  within(lifetime: Lifetime): Grouped;
}

/**
 * Requests of one operation and organization that come while others are being written go together in the next
 * transaction (docs/decisions/033).
 */
export class GroupCommit implements Grouped {
  readonly #parts: LaneParts;
  /** By operation and organization; those in which nobody is are gone. */
  readonly #lanes = new Map<object, Map<number, Busy>>();

  /** Hears how long each request waited before it was begun, in seconds. */
  onBegin: ((seconds: number) => void) | undefined;

  constructor(parts: LaneParts) {
    this.#parts = { ...parts, onBegin: (seconds) => this.onBegin?.(seconds) };
  }

  write<Request, Result>(
    batch: Batch<Request, Result>,
    { id, realmId }: Sender,
    request: Request,
    lifetime = new Lifetime(),
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const weight = batch.weigh(request);
      const since = performance.now();
      const member = { accountId: id, weight, request, lifetime, since, resolve, reject };
      this.#laneOf(batch, realmId).join(member);
    });
  }

  within(lifetime: Lifetime): Grouped {
    return new GroupedWithin(this, lifetime);
  }

  get waiting(): number {
    return this.#all().reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** In how many operations and organizations something is under way. */
  get lanes(): number {
    return this.#all().length;
  }

  #all(): Busy[] {
    return [...this.#lanes.values()].flatMap((lanes) => [...lanes.values()]);
  }

  #laneOf<Request, Result>(batch: Batch<Request, Result>, realmId: number): Lane<Request, Result> {
    let lanes = this.#lanes.get(batch);
    if (!lanes) this.#lanes.set(batch, (lanes = new Map<number, Busy>()));
    // A batch has lanes of its own types only.
    const known = lanes.get(realmId) as Lane<Request, Result> | undefined;
    if (known) return known;
    const made: Lane<Request, Result> = new Lane(this.#parts, batch, () => {
      if (lanes.get(realmId) === made) lanes.delete(realmId);
    });
    lanes.set(realmId, made);
    return made;
  }
}

/** Of one request; a class, as `BoundDatabase` is. */
class GroupedWithin implements Grouped {
  readonly #group: GroupCommit;
  readonly #lifetime: Lifetime;

  constructor(group: GroupCommit, lifetime: Lifetime) {
    this.#group = group;
    this.#lifetime = lifetime;
  }

  write<Request, Result>(
    batch: Batch<Request, Result>,
    sender: Sender,
    request: Request,
  ): Promise<Result> {
    return this.#group.write(batch, sender, request, this.#lifetime);
  }

  get waiting(): number {
    return this.#group.waiting;
  }

  within(lifetime: Lifetime): Grouped {
    return this.#group.within(lifetime);
  }
}
