import type { Share } from "./share.ts";

/** Told that a lifetime has ended; `final` when not even what is being committed may go on. */
type Ended = (final: boolean) => void;

/**
 * How long the work of one request may go on, and what of it is still under way in the database. Once it has ended no
 * statement begins any more, and what runs is cancelled and rolled back (http-contract.md §8).
 */
export class Lifetime {
  /** In what line the work waits for connections. */
  share: Share | undefined;
  /** How many transactions have committed that wrote something which the request asked for. */
  commits = 0;
  /** Whether something was under way on a connection that had to be cut off: it may have been done or not. */
  uncertain = false;
  #endsAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #reason: Error | undefined;
  #final = false;
  #controller: AbortController | undefined;
  #held = 0;
  readonly #listeners = new Set<Ended>();
  #settled: Array<() => void> = [];

  /** Ends it in `ms` milliseconds, for good. */
  limit(ms: number, reason: () => Error): void {
    this.unlimit();
    this.#endsAt = performance.now() + ms;
    this.#timer = setTimeout(() => this.end(reason(), true), ms);
  }

  /** Takes the limit away. To be called when the work is over, too. */
  unlimit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endsAt = Number.POSITIVE_INFINITY;
  }

  /** Milliseconds that are left; infinite without a limit. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Why it has ended; undefined while it goes on. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Fires at the end, with the reason. Made only when somebody asks. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * Ends it. A transaction whose COMMIT is on its way goes on, unless the end is `final`: then it is cancelled too,
   * and only the database knows whether in time.
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

  /** Calls `listener` at the end, also when there is a second, final one, until it is taken away. */
  onEnd(listener: Ended): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes that a connection is held, until the result is called. */
  hold(): () => void {
    this.#held++;
    return () => {
      if (--this.#held > 0) return;
      for (const resolve of this.#settled.splice(0)) resolve();
    };
  }

  /** Resolves when no connection is held. After the end that means that nothing more happens. */
  async settled(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }
}
