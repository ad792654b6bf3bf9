/** A command that was broken off, by a signal or by the person who was asked. */
export class BrokenOff extends Error {
  constructor() {
    super("broken off");
  }
}

/**
 * What a command holds while it works, and has to let go of also where it is broken off in the middle: a file that is
 * half written, a server that was started for the time being.
 */
export class Holds {
  readonly #held: Array<() => Promise<void>> = [];
  #over = false;

  /** True from the moment on in which the command was broken off. */
  get over(): boolean {
    return this.#over;
  }

  /** Works, and lets go afterwards, however it ends. */
  async during<Result>(letGo: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
    this.#held.push(letGo);
    try {
      return await work();
    } finally {
      await this.#release(letGo);
    }
  }

  /** Works, and undoes what was begun where that fails. */
  async orUndo<Result>(undo: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
    this.#held.push(undo);
    try {
      const result = await work();
      this.#forget(undo);
      return result;
    } catch (error) {
      await this.#release(undo);
      throw error;
    }
  }

  /** Breaks the command off: lets go of everything, what was taken last first. Nothing of the work is waited for. */
  async breakOff(): Promise<void> {
    this.#over = true;
    for (;;) {
      const last = this.#held.at(-1);
      if (!last) return;
      await this.#release(last).catch(() => {});
    }
  }

  async #release(letGo: () => Promise<void>): Promise<void> {
    if (this.#forget(letGo)) await letGo();
  }

  #forget(letGo: () => Promise<void>): boolean {
    const at = this.#held.indexOf(letGo);
    if (at >= 0) this.#held.splice(at, 1);
    return at >= 0;
  }
}
