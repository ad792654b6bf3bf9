/**
 * Slots for long deliveries: a limited number of runs keep one until they end. The other runs end early, so that the
 * backlogs of a few organizations do not hold all workers.
 */
export class LongRunSlots {
  readonly #size: number;
  readonly #holders = new Set<object>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a slot if one is free; returns whether the run has one. */
  tryAcquire(run: object): boolean {
    if (this.#holders.size < this.#size) this.#holders.add(run);
    return this.#holders.has(run);
  }

  release(run: object): void {
    this.#holders.delete(run);
  }
}
