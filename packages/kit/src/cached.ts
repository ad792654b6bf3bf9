import { systemClock, type Clock } from "./clock.ts";
import { answerWithin } from "./within.ts";

export interface CacheOptions {
  /** How long a result is kept at least, in milliseconds. */
  readonly minMs?: number;
  /** Milliseconds after which a caller gets an error; the read itself may still finish and be kept. */
  readonly limitMs?: number;
  readonly clock?: Clock;
}

/** A result is kept this many times as long as the read took, so a process reads during less than 5% of the time. */
const keptTimes = 20;

/** Reads, or returns a recent result. */
export interface Cached<T> {
  (): Promise<T>;
  /** Makes the next call read again, because the data has just changed. */
  forget(): void;
}

/** Caches results and failures for a moment, and runs one read at a time: many callers cost no more than one. */
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
        // A read that was in progress at `forget` is older than the change.
        if (running !== reading) return;
        kept = reading;
        until = clock.now() + Math.max(minMs, keptTimes * (clock.now() - from));
        running = undefined;
      });
    return reading;
  }

  const reader = () => {
    if (kept !== undefined && clock.now() < until) return kept;
    return answerWithin((running ??= start()), limitMs);
  };
  return Object.assign(reader, {
    forget() {
      kept = undefined;
      running = undefined;
    },
  });
}
