import { errors } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { type Clock, Semaphore, systemClock } from "@carillon/kit";

/** Maximum number of people whose copies are made at the same time: each occupies a connection of the process. */
const returnsAtOnce = 2;

/** Maximum expected wait of a person for the copies of others, in milliseconds. */
const maxWaitMs = 5_000;

/** Shortest and longest delay after which a refused person is told to try again, in milliseconds. */
const minRetryMs = 2_000;
const maxRetryMs = 120_000;

/** Maximum number of refused people whose times are remembered. */
const maxRefused = 50_000;

/**
 * Makes the missing copies of people who come back (docs/decisions/083), for two people at a time, in the order of their
 * requests. A person who would wait for more than five seconds is refused. Refused people get rising values of
 * `Retry-After`, at the rate at which copies are made. If all of them tried again at the same time, most would be refused
 * again, and their requests would delay other requests.
 */
export class ReturnQueue {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #permits = new Semaphore(returnsAtOnce);
  /** The returns of people whose copies are being made or who wait for that, by account. */
  readonly #returning = new Map<number, Promise<void>>();
  /** Moving average of the duration of a return, in milliseconds. The first value is a guess. */
  #meanMs = 100;
  /** When a refused person may try again, by account, in milliseconds since the UNIX epoch. */
  readonly #retryAt = new Map<number, number>();
  #lastRetryAt = 0;

  constructor(clock: Clock = systemClock, waitMs = maxWaitMs) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /**
   * Makes the copies of a person once for all of the person's concurrent requests. The work goes on if a request ends.
   * @param makeCopies not called if the person is already waiting or copies are being made
   * @throws ApiError `INTERNAL_ERROR` (503) if too many people wait, and whatever `makeCopies` throws
   */
  async makeInOrder(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    let returning = this.#returning.get(id);
    if (!returning) {
      const ahead = this.#returning.size - returnsAtOnce + 1;
      if (ahead * this.#intervalMs() > this.#waitMs) throw errors.comingBack(this.#retryAfter(id));
      this.#retryAt.delete(id);
      returning = this.#makeInTurn(id, makeCopies).finally(() => this.#returning.delete(id));
      this.#returning.set(id, returning);
    }
    await returning;
  }

  async #makeInTurn(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    // Those ahead may take longer than the last ones did.
    const deadline = new RequestDeadline();
    deadline.limit(this.#waitMs, () => errors.comingBack(this.#retryAfter(id)));
    await this.#permits.acquire(deadline).finally(() => deadline.unlimit());
    const startedAt = this.#clock.now();
    try {
      await makeCopies();
    } finally {
      const ms = Math.max(0, this.#clock.now() - startedAt);
      this.#meanMs = 0.8 * this.#meanMs + 0.2 * ms;
      this.#permits.release();
    }
  }

  /** Mean number of milliseconds between the ends of two returns. */
  #intervalMs(): number {
    return this.#meanMs / returnsAtOnce;
  }

  /** Returns the value of `Retry-After` in seconds. A person who tries again too early keeps the time that was given. */
  #retryAfter(id: number): number {
    const now = this.#clock.now();
    let at = this.#retryAt.get(id) ?? 0;
    if (at <= now) {
      at = Math.max(this.#lastRetryAt + this.#intervalMs(), now + minRetryMs);
      // Starts over with the shortest delay, because some of the people with earlier times will not try again.
      if (at > now + maxRetryMs) at = now + minRetryMs;
      this.#lastRetryAt = at;
      if (this.#retryAt.size >= maxRefused) this.#retryAt.clear();
      this.#retryAt.set(id, at);
    }
    return Math.ceil((at - now) / 1_000);
  }
}
