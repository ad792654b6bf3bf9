import type { Lifetime } from "./lifetime.ts";

/** How many connections may be held at once on one account, or on what else has a share. Others wait in line. */
export class Share {
  readonly #size: number;
  readonly #onEmpty: () => void;
  readonly #line = new Set<() => void>();
  #taken = 0;

  constructor(size: number, onEmpty: () => void = () => {}) {
    this.#size = size;
    this.#onEmpty = onEmpty;
  }

  /**
   * Takes a place, when there is one; {@link leave} gives it back.
   * @throws the lifetime's reason when that ends first
   */
  async enter(lifetime: Lifetime): Promise<void> {
    if (this.#taken < this.#size) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const proceed = () => {
        forget();
        resolve();
      };
      const forget = lifetime.onEnd(() => {
        forget();
        this.#line.delete(proceed);
        reject(lifetime.reason ?? new Error("the work has ended"));
      });
      this.#line.add(proceed);
    });
  }

  /** Hands the place to the next in line. */
  leave(): void {
    const [next] = this.#line;
    if (next) {
      this.#line.delete(next);
      next();
    } else if (--this.#taken === 0) this.#onEmpty();
  }
}

/** A share for each key that has a use for one. */
export class Shares<Key> {
  readonly #size: number;
  readonly #shares = new Map<Key, Share>();

  constructor(size: number) {
    this.#size = size;
  }

  of(key: Key): Share {
    let share = this.#shares.get(key);
    if (!share) {
      share = new Share(this.#size, () => this.#shares.delete(key));
      this.#shares.set(key, share);
    }
    return share;
  }
}
