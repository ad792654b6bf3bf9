import type { Database } from "@carillon/db";
import { recordVisit } from "@carillon/domain";
import { type Clock, systemClock } from "@carillon/kit";

import type { Actor } from "./http/actor.ts";

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
  readonly #until = new Map<number, number>();
  readonly #pending = new Map<number, Promise<void>>();

  constructor(db: Database, clock: Clock = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Returns once the visit is recorded and all copies of the person exist.
   * @throws ApiError `INTERNAL_ERROR` (503) if too many copies are missing
   */
  async record(actor: Actor): Promise<void> {
    if (actor.isBot || (this.#until.get(actor.id) ?? 0) > this.#clock.now()) return;
    await this.#recordOnce(actor);
  }

  #recordOnce(actor: Actor): Promise<void> {
    const { id } = actor;
    const pending = this.#pending.get(id);
    if (pending) return pending;
    const recording = this.#recordNow(actor).finally(() => this.#pending.delete(id));
    this.#pending.set(id, recording);
    return recording;
  }

  async #recordNow(actor: Actor): Promise<void> {
    const until = this.#clock.now() + recordEveryMs;
    await recordVisit(this.#db, actor);
    if (this.#until.size >= maxPeople) this.#until.clear();
    this.#until.set(actor.id, until);
  }
}
