import type { Database } from "@carillon/db";
import { readySubscriptions } from "@carillon/domain";
import { eventsJob } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import type { Queues } from "@carillon/queue";

/** Milliseconds from the first wake-up to the query for ready subscriptions, which covers all wake-ups until then. */
const collectMs = 100;

/** Maximum subscriptions of one query; the relay adds the jobs of the others. */
const limit = 500;

/**
 * Adds the jobs of event subscriptions when the event log of their organization grows. A process queries at most ten times a
 * second, however many events there are. All processes add the same job ids. The relay makes up for lost wake-ups.
 */
export class SubscriptionWakeUps {
  readonly #parts: { readonly db: Database; readonly queues: Queues; readonly log: Logger };
  readonly #grown = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: { readonly db: Database; readonly queues: Queues; readonly log: Logger }) {
    this.#parts = parts;
  }

  /** Records that the event log of an organization has grown. */
  wake(realmId: number): void {
    this.#grown.add(realmId);
    if (!this.#looking) this.#timer ??= setTimeout(() => this.#begin(), collectMs);
  }

  #begin(): void {
    this.#timer = undefined;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#grown.size > 0) this.#timer ??= setTimeout(() => this.#begin(), collectMs);
    });
  }

  async #look(): Promise<void> {
    const { db, queues, log } = this.#parts;
    const realmIds = [...this.#grown];
    this.#grown.clear();
    try {
      const ready = await readySubscriptions(db, { realmIds, limit });
      if (ready.length > 0) await queues.publish(ready.map((one) => eventsJob(one)));
    } catch (error) {
      log.debug({ err: error }, "waking event subscriptions failed; the relay adds their jobs");
    }
  }

  /** Stops, and waits for the query in progress. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#grown.clear();
    await this.#looking;
  }
}
