import type { Database } from "@carillon/db";
import { makeMissedCopies } from "@carillon/domain";
import { type Clock, systemClock } from "@carillon/kit";

import type { Actor } from "./http/actor.ts";
import { lostConnections } from "./lost-connections.ts";
import { ReturnQueue } from "./return-queue.ts";
import type { LookUp } from "./shared-look-up.ts";

/** Milliseconds for which the visit of a person is not recorded again. A person counts as away after a day at the earliest. */
const recordEveryMs = 3_600_000;

/** Maximum number of remembered visits. */
const maxPeople = 200_000;

/**
 * Records visits of people before their requests are answered. When a person comes back after a long absence, this makes the
 * copies of the messages that were sent meanwhile (docs/decisions/083). Requests cost one look-up in memory, except the first
 * one in an hour.
 */
export class Visits {
  readonly #db: Database;
  readonly #clock: Clock;
  /** When to record the next visit of an account, in milliseconds since the UNIX epoch. */
  #until = new Map<number, number>();
  readonly #lost: ReturnType<typeof lostConnections>;
  /** Number of lost connections when `#until` was created. */
  #lostBefore: number;
  readonly #returns: ReturnQueue;

  constructor(db: Database, clock: Clock = systemClock) {
    this.#db = db;
    this.#clock = clock;
    this.#returns = new ReturnQueue(clock);
    this.#lost = lostConnections(db);
    this.#lostBefore = this.#lost.count;
  }

  /**
   * Returns once the visit is recorded and all copies of the person exist.
   * @param visits records the visit, and finds whether copies of the person are deferred
   * @throws ApiError `INTERNAL_ERROR` (503) if there are too many copies to make, or too many people coming back
   */
  async record(actor: Actor, visits: LookUp<number, boolean>): Promise<void> {
    const now = this.#clock.now();
    const recorded = this.#recorded();
    if (actor.isBot || (recorded.get(actor.id) ?? 0) > now) return;
    if (await visits.find(actor.id))
      await this.#returns.makeInOrder(actor.id, () => makeMissedCopies(this.#db, actor));
    if (recorded.size >= maxPeople) recorded.clear();
    recorded.set(actor.id, now + recordEveryMs);
  }

  /** Numbers of people who come back: see `ReturnQueue.counts`. */
  get returns(): ReturnQueue["counts"] {
    return this.#returns.counts;
  }

  /**
   * Returns the remembered visits. Forgets all after a connection was lost, because the last commits may be missing after a
   * failover.
   */
  #recorded(): Map<number, number> {
    const { count } = this.#lost;
    if (count !== this.#lostBefore) {
      this.#until = new Map();
      this.#lostBefore = count;
    }
    return this.#until;
  }
}
