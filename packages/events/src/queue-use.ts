import type { Database } from "@carillon/db";

import { longLivedSeconds } from "./lifetimes.ts";
import type { QueueLookup } from "./queue-lookup.ts";
import type { EventQueue } from "./queue-options.ts";

/** Updates `last_seen` of queues in use: in batches for long idle time-outs, at once for short ones. */
export class QueueUse {
  readonly #db: Database;
  readonly #lookup: QueueLookup;
  /** Ids of queues polled since the last batch. */
  readonly #used = new Set<string>();

  constructor(db: Database, lookup: QueueLookup) {
    this.#db = db;
    this.#lookup = lookup;
  }

  async markUsed({ id, idleTimeout }: EventQueue): Promise<void> {
    if (idleTimeout < longLivedSeconds) await this.#lookup.touch(this.#db, [id]);
    else this.#used.add(id);
  }

  /** Updates queues whose idle time-out is too short to wait for a batch. */
  async touchShortLived(queues: readonly EventQueue[]): Promise<void> {
    const brief = queues.filter(({ idleTimeout }) => idleTimeout < longLivedSeconds);
    if (brief.length === 0) return;
    await this.#lookup.touch(
      this.#db,
      brief.map(({ id }) => id),
    );
  }

  /**
   * Updates the queues polled since the last call, and the queues with open polls.
   * @returns the ids of the queues that still exist; undefined when there was nothing to update
   */
  async touchUsed(open: readonly string[]): Promise<ReadonlySet<string> | undefined> {
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
