/** What ends the wait for a permit, such as the deadline of a request. */
export interface Cancellation {
  /** Why the wait ends; undefined while it continues. */
  readonly reason: Error | undefined;
  /** Calls `listener` when it ends; the returned function removes the listener. */
  onEnd(listener: () => void): () => void;
}

/** Limits how much work runs at the same time. Work beyond that waits, first come, first served. */
export class Semaphore {
  readonly #permits: number;
  readonly #onIdle: () => void;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /** @param onIdle called when the last permit has been released and nothing waits */
  constructor(permits: number, onIdle: () => void = () => {}) {
    this.#permits = permits;
    this.#onIdle = onIdle;
  }

  /** Whether work waits for a permit. */
  get isContended(): boolean {
    return this.#waiting.size > 0;
  }

  /** Takes a permit if one is free, without waiting; returns whether it did. */
  tryAcquire(): boolean {
    if (this.#taken >= this.#permits) return false;
    this.#taken++;
    return true;
  }

  /**
   * Takes a permit, which {@link release} gives back; waits as long as needed unless `until` is given.
   * @throws the reason of `until` when that ends first
   */
  async acquire(until?: Cancellation): Promise<void> {
    if (until?.reason) throw until.reason;
    if (this.tryAcquire()) return;
    await new Promise<void>((resolve, reject) => {
      const proceed = () => {
        removeListener?.();
        resolve();
      };
      const removeListener = until?.onEnd(() => {
        removeListener?.();
        this.#waiting.delete(proceed);
        reject(until.reason ?? new Error("the wait for a permit was cancelled"));
      });
      this.#waiting.add(proceed);
    });
  }

  /** Hands the permit to the work that has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else if (--this.#taken === 0) this.#onIdle();
  }

  /** Runs `work` with a permit. */
  async run<T>(work: () => Promise<T>, until?: Cancellation): Promise<T> {
    await this.acquire(until);
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}

/** A concurrency limit for each key, such as an account. Semaphores exist only while their keys are in use. */
export class KeyedSemaphore<Key> {
  readonly #permits: number;
  readonly #semaphores = new Map<Key, Semaphore>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  of(key: Key): Semaphore {
    let semaphore = this.#semaphores.get(key);
    if (!semaphore) {
      semaphore = new Semaphore(this.#permits, () => this.#semaphores.delete(key));
      this.#semaphores.set(key, semaphore);
    }
    return semaphore;
  }
}
