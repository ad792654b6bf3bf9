import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "@carillon/contract";
import { isTransient, type RequestDeadline } from "@carillon/db";

/** Milliseconds between two checks of the database. */
const checkMs = 500;

/**
 * Lets long polls wait while the database is away: clients retry a 5xx at once (events.md §2). One check of the
 * database serves all polls.
 */
export class Outage {
  readonly #answers: () => Promise<unknown>;
  readonly #maxWaitMs: number;
  readonly #waiting = new Set<(isBack: boolean) => void>();
  #checking = false;
  #closed = false;

  /**
   * @param answers rejects while the database is away
   * @param maxWaitMs milliseconds that a poll waits
   */
  constructor(answers: () => Promise<unknown>, maxWaitMs: number) {
    this.#answers = answers;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Runs `work`, and runs it again after each temporary failure once the database answers.
   * @throws the failure of `work`, when the wait is over, the deadline has ended, or this is closed
   */
  async outlast<T>(deadline: RequestDeadline, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#maxWaitMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error) || !(await this.#untilBack(deadline, until))) throw error;
      }
    }
  }

  /** Ends all waits. */
  close(): void {
    this.#closed = true;
    this.#settleAll(false);
  }

  /** Resolves with true once the database answers; with false at `until`, or when the deadline ends. */
  #untilBack(deadline: RequestDeadline, until: number): Promise<boolean> {
    if (this.#closed || deadline.reason) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isBack: boolean) => {
        clearTimeout(timer);
        unsubscribe();
        this.#waiting.delete(settle);
        resolve(isBack);
      };
      const timer = setTimeout(() => settle(false), Math.max(until - performance.now(), 0));
      const unsubscribe = deadline.onEnd(() => settle(false));
      this.#waiting.add(settle);
      if (!this.#checking) void this.#check();
    });
  }

  async #check(): Promise<void> {
    this.#checking = true;
    while (this.#waiting.size > 0) {
      await pause(checkMs);
      const isBack = await this.#answers().then(
        () => true,
        () => false,
      );
      if (isBack) this.#settleAll(true);
    }
    this.#checking = false;
  }

  #settleAll(isBack: boolean): void {
    for (const settle of this.#waiting) settle(isBack);
  }
}

/** Returns whether work failed temporarily (see `isTransient`), and was not refused by Carillon's own code. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) && isTransient(error);
}
