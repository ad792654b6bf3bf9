import type { Database } from "@carillon/db";
import { readySubscriptions } from "@carillon/domain";
import { eventsJob } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import type { Queues } from "@carillon/queue";

/** Milliseconds from the first wake-up to the look at the subscriptions, which serves all wake-ups that came meanwhile. */
const collectMs = 100;

/** Subscriptions whose jobs are added at once; the relay adds those of more. */
const limit = 500;

/**
 * Adds the jobs of event subscriptions when the log of their organization grows. A process looks at most ten times a second,
 * however many events there are, and all processes add the same job ids. The relay makes up for lost wake-ups.
 */
export class SubscriptionWakeUps {
  readonly #parts: { readonly db: Database; readonly queues: Queues; readonly log: Logger };
  readonly #grown = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: { readonly db: Database; readonly queues: Queues; readonly log: Logger }) {
    this.#parts = parts;
  }

  /** Notes that the log of an organization has grown. */
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

  /** Stops looking, once the look in progress has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#grown.clear();
    await this.#looking;
  }
}
