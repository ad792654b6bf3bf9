import { systemClock, type Clock } from "@carillon/kit";

export interface CacheOptions {
  /** How long a reading is kept at least, in milliseconds. */
  readonly minMs?: number;
  /** After so long a reader gets an error; the reading itself may still end and be kept. */
  readonly limitMs?: number;
  readonly clock?: Clock;
}

/** A reading is kept this many times as long as it took: reading never takes more than a twentieth of the time. */
const share = 20;

/**
 * Reads at most once at a time and keeps what was read for a moment, failures too, so that many who ask
 * cost no more than one.
 */
export function cached<T>(read: () => Promise<T>, options: CacheOptions = {}): () => Promise<T> {
  const { minMs = 1_500, limitMs = 3_000, clock = systemClock } = options;
  let kept: Promise<T> | undefined;
  let until = 0;
  let running: Promise<T> | undefined;

  function start(): Promise<T> {
    const from = clock.now();
    const reading = read();
    void reading
      .catch(() => undefined)
      .then(() => {
        kept = reading;
        until = clock.now() + Math.max(minMs, share * (clock.now() - from));
        running = undefined;
      });
    return reading;
  }

  return () => {
    if (kept !== undefined && clock.now() < until) return kept;
    return within((running ??= start()), limitMs);
  };
}

/** @throws Error when `work` takes longer */
async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
