import type { Database } from "@carillon/db";
import { forgetObjects, reservationMs, reserveObjects } from "@carillon/domain";
import { newObjectKeys } from "@carillon/files";
import { type Clock, systemClock } from "@carillon/kit";

/** Keys that one statement reserves for each upload that waits for one, if several wait. */
const factor = 4;

/** Maximum keys of one statement. A killed process leaves up to this many unused rows in the ledger. */
const maxReserved = 100;

interface Reserved {
  readonly key: string;
  /** Milliseconds of the clock. */
  readonly until: number;
}

/** An upload that waits for a key. */
interface Waiter {
  readonly resolve: (key: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hands out keys of new objects, whose ledger rows are committed (files.md §8). Uploads that arrive while keys are being
 * reserved share the next statement, which then reserves some keys for later uploads: otherwise each upload would have a
 * commit of its own for the ledger. An upload that arrives alone reserves only its key.
 *
 *     idle ── take, no key is left ──→ reserving ── uploads wait ──→ reserving
 *       ↑                                  └──── none waits ────→ idle
 */
export class ObjectKeys {
  readonly #db: Database;
  readonly #clock: Clock;
  #free: Reserved[] = [];
  #waiting: Waiter[] = [];
  #isReserving = false;

  /** @param db not bound to a request's deadline, because requests share its statements */
  constructor(db: Database, clock: Clock = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Returns a key. The storing of its object must begin at once. Rejects if the database cannot be reached. */
  take(): Promise<string> {
    const now = this.#clock.now();
    for (let next = this.#free.pop(); next; next = this.#free.pop())
      if (next.until > now) return Promise.resolve(next.key);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#isReserving) void this.#reserve();
    });
  }

  /** Deletes the rows of unused keys. */
  async close(): Promise<void> {
    const keys = this.#free.map(({ key }) => key);
    this.#free = [];
    if (keys.length > 0) await forgetObjects(this.#db, keys);
  }

  async #reserve(): Promise<void> {
    this.#isReserving = true;
    for (let waiting = this.#waiting.length; waiting > 0; waiting = this.#waiting.length) {
      const wanted = Math.min(waiting > 1 ? factor * waiting : 1, maxReserved);
      const keys = newObjectKeys(wanted);
      // Before the statement, because the database adds the same time to a later moment.
      const until = this.#clock.now() + reservationMs;
      try {
        await reserveObjects(this.#db, keys);
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0, waiting)) reject(error);
        continue;
      }
      for (const { resolve } of this.#waiting.splice(0, wanted)) resolve(keys.pop()!);
      this.#free = keys.map((key) => ({ key, until }));
    }
    this.#isReserving = false;
  }
}
