import type { Logger } from "@carillon/kit";

/** Items of one batch. */
const batchSize = 500;

/** Processes items in batches: while one batch is being processed, the next one fills. */
export interface Batcher<T> {
  add(items: readonly T[]): void;
  /** How many items were in batches that failed. */
  readonly missed: number;
  /** Processes all items without further pauses, and resolves when each of them has been tried. */
  idle(): Promise<void>;
}

export interface BatcherOptions<T> {
  /** Milliseconds from the start of a batch to the start of the next, unless that one is full; 0 unless given. */
  readonly pauseMs?: number;
  /** Whether an item ends the pause; none does unless given. */
  readonly isUrgent?: (item: T) => boolean;
}

/**
 * Creates a batcher for jobs to be added to the queue. A batch that fails is counted and logged, never thrown: the relay
 * adds its jobs.
 * @param items plural name of the items, for the log
 */
export function createBatcher<T>(
  items: string,
  log: Logger,
  process: (batch: readonly T[]) => Promise<void>,
  { pauseMs = 0, isUrgent = () => false }: BatcherOptions<T> = {},
): Batcher<T> {
  const waiting: T[] = [];
  let missed = 0;
  let running: Promise<void> | undefined;
  /** Calls of `idle` in progress: while there is one, nothing pauses. */
  let idleCalls = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  /** Ends the current pause. */
  let endPause: (() => void) | undefined;

  const canPause = () => idleCalls === 0 && waiting.length < batchSize;

  async function pause(): Promise<void> {
    const left = startedAt + pauseMs - performance.now();
    if (left <= 0 || !canPause() || waiting.some(isUrgent)) return;
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
    // Requests that commit in this turn of the event loop share the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      await pause();
      startedAt = performance.now();
      const batch = waiting.splice(0, batchSize);
      try {
        await process(batch);
      } catch (error) {
        missed += batch.length;
        log.warn(
          { err: error, [items]: batch.length },
          `${items} did not reach the queue; the relay adds them`,
        );
      }
    }
    running = undefined;
  }

  return {
    get missed() {
      return missed;
    },
    add(added) {
      waiting.push(...added);
      running ??= drain();
      if (endPause && (!canPause() || added.some(isUrgent))) endPause();
    },
    async idle() {
      idleCalls++;
      endPause?.();
      while (running) await running;
      idleCalls--;
    },
  };
}
