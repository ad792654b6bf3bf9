import type { Database } from "@carillon/db";

import { longLived } from "./lifetimes.ts";
import type { QueueLookup } from "./queue-lookup.ts";
import type { EventQueue } from "./queue-options.ts";

/** Notes which queues are in use: those that live for long in batches, the others at once. */
export class QueueUse {
  readonly #db: Database;
  readonly #lookup: QueueLookup;
  /** Polled since the last batch. */
  readonly #used = new Set<string>();

  constructor(db: Database, lookup: QueueLookup) {
    this.#db = db;
    this.#lookup = lookup;
  }

  async note({ id, idleTimeout }: EventQueue): Promise<void> {
    if (idleTimeout < longLived) await this.#lookup.touch(this.#db, [id]);
    else this.#used.add(id);
  }

  /** Notes those of the queues that are for a batch too rare. */
  async noteBrief(queues: readonly EventQueue[]): Promise<void> {
    const brief = queues.filter(({ idleTimeout }) => idleTimeout < longLived);
    if (brief.length === 0) return;
    await this.#lookup.touch(
      this.#db,
      brief.map(({ id }) => id),
    );
  }

  /**
   * Notes what has been used since the last time, and the queues with open polls.
   * @returns which of all these live; undefined where there was nothing to note
   */
  async noteAll(open: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    const used = [...this.#used];
    this.#used.clear();
    const ids = [...used, ...open];
    if (ids.length === 0) return undefined;
    return this.#lookup.touch(this.#db, ids).catch((error: unknown) => {
      for (const id of used) this.#used.add(id);
      throw error;
    });
  }
}
