/** A command was interrupted, by a signal or by Ctrl-C at a prompt. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

/**
 * Cleanups of a running command: a half-written file to delete, a temporary server to stop. They also run when the command is
 * interrupted.
 */
export class Cleanups {
  readonly #cleanups: Array<() => Promise<void>> = [];
  #interrupted = false;

  /** Whether the command has been interrupted. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Runs `work`, then the cleanup, however the work ends. */
  async during<Result>(cleanup: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
    this.#cleanups.push(cleanup);
    try {
      return await work();
    } finally {
      await this.#release(cleanup);
    }
  }

  /** Runs `work`, and the undo function if it fails. */
  async orUndo<Result>(undo: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
    this.#cleanups.push(undo);
    try {
      const result = await work();
      this.#forget(undo);
      return result;
    } catch (error) {
      await this.#release(undo);
      throw error;
    }
  }

  /** Interrupts the command: runs all cleanups, last in first out. Does not wait for the work. */
  async interrupt(): Promise<void> {
    this.#interrupted = true;
    for (;;) {
      const last = this.#cleanups.at(-1);
      if (!last) return;
      await this.#release(last).catch(() => {});
    }
  }

  async #release(cleanup: () => Promise<void>): Promise<void> {
    if (this.#forget(cleanup)) await cleanup();
  }

  #forget(cleanup: () => Promise<void>): boolean {
    const at = this.#cleanups.indexOf(cleanup);
    if (at >= 0) this.#cleanups.splice(at, 1);
    return at >= 0;
  }
}
