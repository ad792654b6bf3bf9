import type { Logger } from "@carillon/kit";

/** Things in one go. */
const batch = 500;

/** Work for many things at once: while one batch is under way the next one gathers. */
export interface Gatherer<T> {
  add(items: readonly T[]): void;
  /** Things whose batch failed. */
  readonly missed: number;
  /** Resolves when everything that was added has been tried. */
  idle(): Promise<void>;
}

/** A batch that fails is counted and logged, never raised: somebody else finds what it missed. */
export function gather<T>(
  what: string,
  log: Logger,
  work: (items: readonly T[]) => Promise<void>,
): Gatherer<T> {
  const waiting: T[] = [];
  let missed = 0;
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // Let the requests that commit in this turn of the loop gather first.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const items = waiting.splice(0, batch);
      try {
        await work(items);
      } catch (error) {
        missed += items.length;
        log.warn(
          { err: error, [what]: items.length },
          `${what} did not reach the queue; the relay adds them`,
        );
      }
    }
    running = undefined;
  }

  return {
    get missed() {
      return missed;
    },
    add(items) {
      waiting.push(...items);
      running ??= drain();
    },
    idle: async () => {
      while (running) await running;
    },
  };
}
