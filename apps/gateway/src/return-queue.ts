import { errors } from "@carillon/contract";
import { type Clock, Semaphore, systemClock } from "@carillon/kit";

/** Maximum people whose copies are made at the same time: each occupies a connection of the process. */
const returnsAtOnce = 2;

/** Milliseconds that a person may have to wait for the copies of others. */
const maxWaitMs = 5_000;

/** Milliseconds after which a refused person may try again, at the earliest and at the latest. */
const minRetryMs = 2_000;
const maxRetryMs = 120_000;

/** Maximum refused people who are remembered. */
const maxRefused = 50_000;

/**
 * Makes the copies of people who come back: of two at the same time, and of others in the order of their requests. If a
 * person would have to wait for more than five seconds, the request is refused. Each refused person is told to try again
 * later than the one before, as fast as copies are made: if all of them tried again at the same time, most would be refused
 * again, and their requests would delay those of others.
 */
export class ReturnQueue {
  readonly #clock: Clock;
  readonly #permits = new Semaphore(returnsAtOnce);
  /** The people whose copies are being made, and those who wait, by account. */
  readonly #returning = new Map<number, Promise<void>>();
  /** Mean duration of the last returns in milliseconds. */
  #meanMs = 100;
  /** When refused people may try again, by account, in milliseconds since the UNIX epoch. */
  readonly #retryAt = new Map<number, number>();
  #lastRetryAt = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Makes the copies of a person, once for all concurrent requests; it does not end with one of them.
   * @param makeCopies not called if copies of the person are being made
   * @throws ApiError `INTERNAL_ERROR` (503) if too many people wait, and whatever `makeCopies` throws
   */
  async enter(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    let returning = this.#returning.get(id);
    if (!returning) {
      const ahead = this.#returning.size - returnsAtOnce + 1;
      if (ahead * this.#intervalMs() > maxWaitMs) throw errors.comingBack(this.#retryAfter(id));
      this.#retryAt.delete(id);
      returning = this.#makeInTurn(makeCopies).finally(() => this.#returning.delete(id));
      this.#returning.set(id, returning);
    }
    await returning;
  }

  async #makeInTurn(makeCopies: () => Promise<unknown>): Promise<void> {
    await this.#permits.acquire();
    const startedAt = this.#clock.now();
    try {
      await makeCopies();
    } finally {
      this.#meanMs = 0.8 * this.#meanMs + 0.2 * (this.#clock.now() - startedAt);
      this.#permits.release();
    }
  }

  /** Milliseconds between two returns. */
  #intervalMs(): number {
    return this.#meanMs / returnsAtOnce;
  }

  /** Returns seconds. A person who tries again too early keeps the time. */
  #retryAfter(id: number): number {
    const now = this.#clock.now();
    let at = this.#retryAt.get(id) ?? 0;
    if (at <= now) {
      at = Math.max(this.#lastRetryAt + this.#intervalMs(), now + minRetryMs);
      // Begins again: some of those who may try earlier will have given up.
      if (at > now + maxRetryMs) at = now + minRetryMs;
      this.#lastRetryAt = at;
      if (this.#retryAt.size >= maxRefused) this.#retryAt.clear();
      this.#retryAt.set(id, at);
    }
    return Math.ceil((at - now) / 1_000);
  }
}
