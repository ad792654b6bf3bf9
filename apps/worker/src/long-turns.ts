/**
 * Who may work for long: so many runs at a time, the first who ask. The others end after a little, so that the slots of a
 * process change hands and nobody waits behind the backlogs of others.
 */
export class LongTurns {
  readonly #most: number;
  readonly #running = new Set<object>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the run may go on; it keeps its place until `end`. */
  take(run: object): boolean {
    if (this.#running.size < this.#most) this.#running.add(run);
    return this.#running.has(run);
  }

  end(run: object): void {
    this.#running.delete(run);
  }
}
