import type { EventQueue, NumberedEvent } from "./queue-options.ts";

/** How a poll ended. */
export type PollResult =
  | { readonly kind: "events"; readonly events: readonly NumberedEvent[] }
  /** The queue is unknown, expired, deleted, too far behind, or belongs to another account. */
  | { readonly kind: "queueDeleted" }
  /** The id is newer than any that the queue can have received. */
  | { readonly kind: "future" }
  /** The account has been deactivated, or its API key is no longer the one of the request. */
  | { readonly kind: "refused" };

/** A poll that waits for an event. */
export class Waiter {
  readonly queue: EventQueue;
  /** The newest id that the client has received. */
  readonly lastId: number;
  readonly #resolve: (result: PollResult) => void;
  #timer: NodeJS.Timeout | undefined;
  finished = false;
  /** An event is being presented to it. */
  isBeingAnswered = false;

  constructor(queue: EventQueue, lastId: number, resolve: (result: PollResult) => void) {
    this.queue = queue;
    this.lastId = lastId;
    this.#resolve = resolve;
  }

  /** Calls `expire` after `ms` milliseconds unless the poll ends first. */
  expireAfter(ms: number, expire: () => void): void {
    this.#timer = setTimeout(expire, ms);
  }

  finish(result: PollResult): void {
    if (this.finished) return;
    this.finished = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}

/** The waiting polls of one organization: by queue, by account, and those with `allPublicChannels`. */
export class Waiters {
  readonly #byQueue = new Map<string, Waiter>();
  readonly #byUser = new Map<number, Set<Waiter>>();
  readonly #public = new Set<Waiter>();

  get size(): number {
    return this.#byQueue.size;
  }

  all(): Iterable<Waiter> {
    return this.#byQueue.values();
  }

  ofQueue(queueId: string): Waiter | undefined {
    return this.#byQueue.get(queueId);
  }

  ofUser(userId: number): Iterable<Waiter> {
    return this.#byUser.get(userId) ?? [];
  }

  /** The polls that get messages of all public channels, even if their accounts are not receivers. */
  ofPublicChannels(): Iterable<Waiter> {
    return this.#public;
  }

  /** Yields the polls of an audience, iterating over the smaller of audience and accounts. */
  *ofAudience(audience: readonly number[]): Generator<Waiter> {
    if (audience.length <= this.#byUser.size) {
      for (const id of audience) yield* this.ofUser(id);
      return;
    }
    const ids = new Set(audience);
    for (const [userId, waiters] of this.#byUser) if (ids.has(userId)) yield* waiters;
  }

  /** Adds a poll; an older poll of the same queue ends without events. */
  add(waiter: Waiter): void {
    const older = this.#byQueue.get(waiter.queue.id);
    if (older) {
      this.remove(older);
      older.finish({ kind: "events", events: [] });
    }
    const { id, userId, options } = waiter.queue;
    this.#byQueue.set(id, waiter);
    const own = this.#byUser.get(userId);
    if (own) own.add(waiter);
    else this.#byUser.set(userId, new Set([waiter]));
    if (options.allPublicChannels) this.#public.add(waiter);
  }

  remove(waiter: Waiter): void {
    const { id, userId } = waiter.queue;
    if (this.#byQueue.get(id) === waiter) this.#byQueue.delete(id);
    const own = this.#byUser.get(userId);
    own?.delete(waiter);
    if (own?.size === 0) this.#byUser.delete(userId);
    this.#public.delete(waiter);
  }
}
