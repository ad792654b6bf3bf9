import { ApiError, errors } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { type Clock, Semaphore, systemClock } from "@carillon/kit";

/** Maximum number of people whose copies are made at the same time: each occupies a connection of the process. */
const returnsAtOnce = 2;

/** Maximum expected wait of a person for the copies of others, in milliseconds. */
const maxWaitMs = 5_000;

/** Shortest and longest delay after which a refused person is told to try again, in milliseconds. */
const minRetryMs = 2_000;
const maxRetryMs = 120_000;

/** Maximum number of refused people whose places are remembered. */
const maxRefused = 50_000;

/**
 * Makes the missing copies of people who come back (docs/decisions/083), for two people at a time, in the order of their
 * first requests. A person who would wait for more than five seconds is refused, and gets a ticket: a number that increases
 * by one. The expected wait follows from the number of people ahead and from the average duration of the latest returns.
 * `Retry-After` ends shortly before this wait. If all refused people tried again at the same time, or if people who come
 * later were served before them, most would be refused again and again, and their requests would delay other requests.
 */
export class ReturnQueue {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #permits = new Semaphore(returnsAtOnce);
  /** The returns of people whose copies are being made or who wait for that, by account. */
  readonly #returning = new Map<number, Promise<void>>();
  /** Moving average of the duration of a return, in milliseconds. The first value is a guess. */
  #meanMs = 100;
  /** The tickets of refused people, by account. */
  readonly #tickets = new Map<number, number>();
  /** Number of tickets given, which is the next number. */
  #given = 0;
  /** Number of people with tickets who were admitted. */
  #admitted = 0;

  constructor(clock: Clock = systemClock, waitMs = maxWaitMs) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /**
   * Makes the copies of a person once for all of the person's concurrent requests. The work goes on if a request ends.
   * @param makeCopies makes the copies. Not called if another request of the person waits or makes them. Throws an ApiError
   *   if there are too many copies for one request: then the person is the next of the refused people.
   * @throws ApiError `INTERNAL_ERROR` (503) if too many people wait or there are too many copies, and other errors of
   *   `makeCopies`
   */
  async makeInOrder(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    let returning = this.#returning.get(id);
    if (!returning) {
      if (this.#expectedMs(id) > this.#waitMs) throw this.#refusal(id, this.#given);
      if (this.#tickets.delete(id)) this.#admitted++;
      returning = this.#make(id, makeCopies).finally(() => this.#end(id));
      this.#returning.set(id, returning);
    }
    await returning;
  }

  /** `waiting`: people who wait or whose copies are being made; `withTickets`: people who were refused and may come again. */
  get counts(): { readonly waiting: number; readonly withTickets: number } {
    return { waiting: this.#returning.size, withTickets: this.#tickets.size };
  }

  async #make(id: number, makeCopies: () => Promise<unknown>): Promise<void> {
    // The people ahead may take longer than expected. A person who waits in vain is the next of the refused people.
    const deadline = new RequestDeadline();
    deadline.limit(this.#waitMs, () => this.#refusal(id, this.#admitted));
    await this.#permits.acquire(deadline).finally(() => deadline.unlimit());
    const startedAt = this.#clock.now();
    try {
      await makeCopies();
    } catch (error) {
      // Continue with this person before others begin: otherwise nearly all people would have only a part of their copies.
      throw error instanceof ApiError ? this.#refusal(id, this.#admitted) : error;
    } finally {
      const ms = Math.max(0, this.#clock.now() - startedAt);
      this.#meanMs = 0.8 * this.#meanMs + 0.2 * ms;
      this.#permits.release();
    }
  }

  #end(id: number): void {
    this.#returning.delete(id);
    // Some refused people do not try again, and their tickets would make others wait for nothing.
    if (this.#returning.size === 0) this.#forgetTickets();
  }

  #forgetTickets(): void {
    this.#tickets.clear();
    this.#given = 0;
    this.#admitted = 0;
  }

  /** Returns for how many milliseconds the person is expected to wait; 0 while a permit is free. */
  #expectedMs(id: number): number {
    const waiting = this.#returning.size - returnsAtOnce + 1;
    if (waiting <= 0) return 0;
    const refusedBefore = Math.max(0, (this.#tickets.get(id) ?? this.#given) - this.#admitted);
    return ((waiting + refusedBefore) * this.#meanMs) / returnsAtOnce;
  }

  /** Returns the error that refuses a person. The person gets the ticket, or keeps an earlier one. */
  #refusal(id: number, ticket: number): ApiError {
    if (!this.#tickets.has(id)) {
      if (this.#tickets.size >= maxRefused) this.#forgetTickets();
      // After they were forgotten, the numbers begin with 0 again.
      this.#tickets.set(id, Math.min(ticket, this.#given));
      this.#given++;
    }
    // Less than the expected wait: a person who tries again early waits in the queue, so that it does not run empty.
    const ms = this.#expectedMs(id) - this.#waitMs / 2;
    return errors.comingBack(Math.ceil(Math.min(Math.max(ms, minRetryMs), maxRetryMs) / 1_000));
  }
}
