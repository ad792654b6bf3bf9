/**
 * Lets so many pieces of work through at a time, the others wait their turn without an end. After the restart of a
 * gateway thousands of polls come back at once: they must neither take all connections nor be refused.
 */
export class Turnstile {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(places: number) {
    this.#free = places;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place goes on to the next in line.
      if (next) next();
      else this.#free++;
    }
  }
}
