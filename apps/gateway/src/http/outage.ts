import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "@carillon/contract";
import { isPassing, type Lifetime } from "@carillon/db";

/** Milliseconds between two looks whether the database is back. */
const lookMs = 500;

/**
 * Where long polls wait while the database is away: clients that are answered with 5xx ask again at once (events.md §2).
 * One look at the database serves all of them.
 */
export class Outage {
  readonly #answers: () => Promise<unknown>;
  readonly #patienceMs: number;
  readonly #waiting = new Set<(isBack: boolean) => void>();
  #looking = false;
  #closed = false;

  /**
   * @param answers rejects while the database is away
   * @param patienceMs how long somebody waits, in milliseconds
   */
  constructor(answers: () => Promise<unknown>, patienceMs: number) {
    this.#answers = answers;
    this.#patienceMs = patienceMs;
  }

  /**
   * What `work` comes to, which is done again whenever it failed for what passes and the database answers.
   * @throws what it fails with, when somebody has waited for too long, the lifetime has ended, or this is closed
   */
  async outlast<T>(lifetime: Lifetime, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error) || !(await this.#isBack(lifetime, until))) throw error;
      }
    }
  }

  /** Lets nobody wait any more. */
  close(): void {
    this.#closed = true;
    this.#tell(false);
  }

  /** True once the database answers; false when that takes too long, or nobody wants to know any more. */
  #isBack(lifetime: Lifetime, until: number): Promise<boolean> {
    if (this.#closed || lifetime.reason) return Promise.resolve(false);
    return new Promise((resolve) => {
      const told = (isBack: boolean) => {
        clearTimeout(timer);
        forget();
        this.#waiting.delete(told);
        resolve(isBack);
      };
      const timer = setTimeout(() => told(false), Math.max(until - performance.now(), 0));
      const forget = lifetime.onEnd(() => told(false));
      this.#waiting.add(told);
      if (!this.#looking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#waiting.size > 0) {
      await pause(lookMs);
      const isBack = await this.#answers().then(
        () => true,
        () => false,
      );
      if (isBack) this.#tell(true);
    }
    this.#looking = false;
  }

  #tell(isBack: boolean): void {
    for (const told of this.#waiting) told(isBack);
  }
}

/** Whether work failed for what passes (see `isPassing`), and was not refused by ourselves. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) && isPassing(error);
}
