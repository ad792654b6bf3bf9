import { systemClock, type Clock } from "./clock.ts";

export interface CacheOptions {
  /** How long a reading is kept at least, in milliseconds. */
  readonly minMs?: number;
  /** After so long a reader gets an error; the reading itself may still end and be kept. */
  readonly limitMs?: number;
  readonly clock?: Clock;
}

/** A reading is kept this many times as long as it took: reading never takes more than a twentieth of the time. */
const share = 20;

/** Reads, or gives what was read a moment ago. */
export interface Cached<T> {
  (): Promise<T>;
  /** Has the next reader read anew: what was read has just been changed. */
  forget(): void;
}

/**
 * Reads at most once at a time and keeps what was read for a moment, failures too, so that many who ask
 * cost no more than one.
 */
export function cached<T>(read: () => Promise<T>, options: CacheOptions = {}): Cached<T> {
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
        // What was forgotten while it was read is older than the change.
        if (running !== reading) return;
        kept = reading;
        until = clock.now() + Math.max(minMs, share * (clock.now() - from));
        running = undefined;
      });
    return reading;
  }

  const reader = () => {
    if (kept !== undefined && clock.now() < until) return kept;
    return within((running ??= start()), limitMs);
  };
  return Object.assign(reader, {
    forget() {
      kept = undefined;
      running = undefined;
    },
  });
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
