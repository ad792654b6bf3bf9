import type { Database } from "@carillon/db";
import { finishedRequests, type PictureOutcome, takeRequest } from "@carillon/domain";
import { type Cancellation, KeyedSemaphore, type Logger } from "@carillon/kit";

/** A request that waits for its pictures. */
interface Waiter {
  readonly realmId: number;
  readonly resolve: () => void;
}

/** Maximum requests of one account that wait for pictures at once. Further ones wait before their job is queued. */
const perAccount = 2;

/** Milliseconds from a wake-up to the read of the database; further wake-ups meanwhile cause no other read. */
const pauseMs = 50;

/** Milliseconds after which the rows are read without a wake-up, which may get lost. */
const pollMs = 1_000;

interface PictureRequestsParts {
  /** Not bound to a request: one statement reads the rows of all requests, and a request that has ended is taken, too. */
  readonly db: Database;
  readonly log: Logger;
  /** Milliseconds that a request waits for a worker; 20,000 unless given. */
  readonly waitMs?: number | undefined;
}

/**
 * Lets requests wait until a worker has made their pictures (files.md §6). The worker wakes the gateways of the organization.
 * A gateway reads the rows after a wake-up, and once a second in case one was lost, with one statement for all requests of
 * the process and at most 20 times a second. Waiting requests hold no database connection.
 */
export class PictureRequests {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #waitMs: number;
  readonly #waiters = new Map<number, Waiter>();
  readonly #limits = new KeyedSemaphore<number>(perAccount);
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;

  constructor({ db, log, waitMs = 20_000 }: PictureRequestsParts) {
    this.#db = db;
    this.#log = log;
    this.#waitMs = waitMs;
  }

  /**
   * Runs `work`, at most two at once for an account: hostile pictures of one account must not occupy all workers.
   * @throws the deadline's reason
   */
  limited<T>(accountId: number, deadline: Cancellation, work: () => Promise<T>): Promise<T> {
    return this.#limits.of(accountId).run(work, deadline);
  }

  /**
   * Waits until a worker has finished the request, it has waited too long, or its deadline ends. Then ends the request, so that
   * no worker can finish it any more.
   * @returns what a worker has made; undefined if none has finished in time
   */
  async outcomeOf(
    realmId: number,
    id: number,
    deadline: Cancellation,
  ): Promise<PictureOutcome | undefined> {
    await this.#finished(realmId, id, deadline);
    return this.#db.transaction((tx) => takeRequest(tx, id));
  }

  async #finished(realmId: number, id: number, deadline: Cancellation): Promise<void> {
    if (deadline.reason) return;
    await new Promise<void>((done) => {
      const resolve = () => {
        clearTimeout(timer);
        removeListener();
        this.#waiters.delete(id);
        done();
      };
      const timer = setTimeout(resolve, this.#waitMs);
      const removeListener = deadline.onEnd(resolve);
      this.#waiters.set(id, { realmId, resolve });
      this.#readIn(pollMs);
    });
  }

  /** Checks soon whether requests of the organization are finished. */
  wake(realmId: number): void {
    for (const waiter of this.#waiters.values())
      if (waiter.realmId === realmId) {
        this.#readIn(pauseMs);
        return;
      }
  }

  /** Reads the rows in `ms` milliseconds, or sooner if that is planned already. */
  #readIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#timer && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#read(), ms);
    this.#timer.unref();
  }

  async #read(): Promise<void> {
    this.#timer = undefined;
    if (this.#waiters.size === 0) return;
    // The next read is planned before this one begins, so that a wake-up during it is not lost.
    this.#readIn(pollMs);
    try {
      for (const id of await finishedRequests(this.#db, [...this.#waiters.keys()]))
        this.#waiters.get(id)?.resolve();
    } catch (err) {
      this.#log.debug({ err }, "reading requests for pictures failed; read again in a second");
    }
  }
}
