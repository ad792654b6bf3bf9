import type { Logger } from "@carillon/kit";

/** Things in one go. */
const batch = 500;

/** Work for many things at once: while one batch is under way the next one gathers. */
export interface Gatherer<T> {
  add(items: readonly T[]): void;
  /** Things whose batch failed. */
  readonly missed: number;
  /** Resolves when everything that was added has been tried, without pauses. */
  idle(): Promise<void>;
}

export interface GatherOptions<T> {
  /** Milliseconds from the beginning of a batch to that of the next, unless that one is full; none unless given. */
  readonly pauseMs?: number;
  /** What waits for no pause; nothing unless given. */
  readonly isUrgent?: (item: T) => boolean;
}

/** A batch that fails is counted and logged, never raised: somebody else finds what it missed. */
export function gather<T>(
  what: string,
  log: Logger,
  work: (items: readonly T[]) => Promise<void>,
  { pauseMs = 0, isUrgent = () => false }: GatherOptions<T> = {},
): Gatherer<T> {
  const waiting: T[] = [];
  let missed = 0;
  let running: Promise<void> | undefined;
  /** Who waits for everything to have been tried. */
  let hurried = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  /** Ends the pause that is on. */
  let endPause: (() => void) | undefined;

  const mayPause = () => hurried === 0 && waiting.length < batch;

  async function pause(): Promise<void> {
    const left = begunAt + pauseMs - performance.now();
    if (left <= 0 || !mayPause() || waiting.some(isUrgent)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    endPause = undefined;
  }

  async function drain(): Promise<void> {
    // Let the requests that commit in this turn of the loop gather first.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      await pause();
      begunAt = performance.now();
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
      if (endPause && (!mayPause() || items.some(isUrgent))) endPause();
    },
    async idle() {
      hurried++;
      endPause?.();
      while (running) await running;
      hurried--;
    },
  };
}
