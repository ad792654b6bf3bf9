import type { Semaphore } from "@carillon/kit";

/** Called when a deadline ends; `final` when even a transaction that is being committed must be cancelled. */
type Ended = (final: boolean) => void;

/**
 * The deadline of one request. Counts the connections on which the request's work still runs. After the end no
 * statement of the request begins, and running statements are cancelled and rolled back (http-contract.md §8). The
 * deadline also ends when the client hangs up.
 */
export class RequestDeadline {
  /** Limits how many connections the request's account, or all unknown callers, hold at once. */
  connectionLimit: Semaphore | undefined;
  /** How many transactions have committed writes that the request asked for. */
  commits = 0;
  /** Whether a connection was cut off while a statement ran on it: the statement may have taken effect or not. */
  uncertain = false;
  #endsAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #reason: Error | undefined;
  #final = false;
  #controller: AbortController | undefined;
  #held = 0;
  readonly #listeners = new Set<Ended>();
  #settled: Array<() => void> = [];

  /** Ends the deadline after `ms` milliseconds; that end is final. */
  limit(ms: number, reason: () => Error): void {
    this.unlimit();
    this.#endsAt = performance.now() + ms;
    this.#timer = setTimeout(() => this.end(reason(), true), ms);
  }

  /** Removes the time limit. Must also be called when the work is complete. */
  unlimit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endsAt = Number.POSITIVE_INFINITY;
  }

  /** Milliseconds that are left; infinite without a limit. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Why the deadline has ended; undefined until then. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Aborts at the end, with the reason. Created on first use, because most requests do without. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * Ends the deadline. A transaction whose COMMIT has been sent continues, unless the end is `final`: then its COMMIT
   * is cancelled too, and only the database knows whether it took effect.
   */
  end(reason: Error, final: boolean): void {
    if (this.#final || (this.#reason && !final)) return;
    this.#reason ??= reason;
    this.#final = final;
    this.#controller?.abort(this.#reason);
    for (const listener of this.#listeners) listener(final);
  }

  /** @throws the reason once it has ended */
  check(): void {
    if (this.#reason) throw this.#reason;
  }

  /** Calls `listener` at the end, and again at a second, final end, until the returned function is called. */
  onEnd(listener: Ended): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Counts a connection as held until the returned function is called. */
  hold(): () => void {
    this.#held++;
    return () => {
      if (--this.#held > 0) return;
      for (const resolve of this.#settled.splice(0)) resolve();
    };
  }

  /** Resolves when no connection is held. After the end this means that nothing more happens. */
  async settled(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }
}
