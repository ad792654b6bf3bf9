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

/** Maximum number of refused people whose time slots are remembered. */
const maxRefused = 50_000;

/**
 * Makes the missing copies of people who come back (docs/decisions/083), for two people at a time, in the order of their
 * first requests. A person who would wait for more than five seconds is refused, and gets a time slot behind those of all
 * people who were refused before, at the rate at which copies are made. `Retry-After` leads to this time. If all refused
 * people tried again at the same time, most would be refused again, and their requests would delay other requests. Until the
 * last of these times, a person without a time slot is refused, too: otherwise people who come later would be served before
 * those who were refused.
 */
export class ReturnQueue {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #permits = new Semaphore(returnsAtOnce);
  /** The returns of people whose copies are being made or who wait for that, by account. */
  readonly #returning = new Map<number, Promise<void>>();
  /** Moving average of the duration of a return, in milliseconds. The first value is a guess. */
  #meanMs = 100;
  /** The time slots of refused people, by account, in milliseconds since the UNIX epoch. */
  readonly #slots = new Map<number, number>();
  #lastSlot = 0;

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
      if (!this.#admits(id)) throw errors.comingBack(this.#retryAfter(id));
      returning = this.#make(id, makeCopies).finally(() => this.#returning.delete(id));
      this.#returning.set(id, returning);
    }
    await returning;
  }

  /** Returns whether the person may wait. Admits every person while a permit is free: some refused people do not try again. */
  #admits(id: number): boolean {
    const ahead = this.#returning.size - returnsAtOnce + 1;
    if (ahead <= 0) return true;
    if (ahead * this.#intervalMs() > this.#waitMs) return false;
    return (this.#slots.get(id) ?? this.#lastSlot) <= this.#clock.now();
  }

  async #make(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    // Those ahead may take longer than the last ones did.
    const deadline = new RequestDeadline();
    deadline.limit(this.#waitMs, () => errors.comingBack(this.#retryAfter(id)));
    await this.#permits.acquire(deadline).finally(() => deadline.unlimit());
    this.#slots.delete(id);
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

  /** Returns the value of `Retry-After` in seconds. A person who tries again too early or in vain keeps the time slot. */
  #retryAfter(id: number): number {
    const now = this.#clock.now();
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      const wait = this.#returning.size * this.#intervalMs();
      slot = Math.max(this.#lastSlot + this.#intervalMs(), now + wait, now + minRetryMs);
      this.#lastSlot = slot;
      if (this.#slots.size >= maxRefused) this.#slots.clear();
      this.#slots.set(id, slot);
    }
    return Math.ceil(Math.min(Math.max(slot - now, minRetryMs), maxRetryMs) / 1_000);
  }
}
