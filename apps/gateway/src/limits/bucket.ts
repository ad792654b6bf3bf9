import { SlidingWindow, type RateRule } from "@carillon/kit";

import type { Hits, StoredWindow } from "./hit-store.ts";

/** The state of a bucket: that of its strictest rule. */
export interface BucketState {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX milliseconds. */
  readonly freeAt: number;
  /** Milliseconds; 0 when a request may be admitted now. */
  readonly blockedMs: number;
}

/** Milliseconds between two queries about a full bucket. */
const queryAgainMs = 1_000;

/** What one process knows of a bucket: the shared count, and the requests that it has admitted and not reported yet. */
export class Bucket {
  readonly keys: readonly string[];
  readonly #windows: readonly SlidingWindow[];
  /** Admitted and not yet reported, by window, then by slice. */
  #unreported: Array<Map<number, number>>;
  #unreportedHits = 0;
  /** When it was last used, in milliseconds. */
  usedAt = 0;
  /** When the store was last queried about it, in milliseconds. */
  queriedAt = 0;
  /** The latest exchange with the store: the next one waits for it. */
  lastExchange: Promise<unknown> = Promise.resolve();
  /** Requests that wait for the store's answer. */
  readonly waiting: Array<(admitted: boolean) => void> = [];
  /** Whether a query for the waiting requests is in progress. */
  asking = false;

  constructor(name: string, rules: readonly RateRule[]) {
    this.#windows = rules.map((rule) => new SlidingWindow(rule));
    this.keys = rules.map(({ seconds }, i) => `${name}/${i}/${seconds}`);
    this.#unreported = rules.map(() => new Map());
  }

  /** Milliseconds after which all its counts have expired. */
  get lifetimeMs(): number {
    return Math.max(...this.#windows.map(({ lifetimeMs }) => lifetimeMs));
  }

  get hasUnreported(): boolean {
    return this.#unreportedHits > 0;
  }

  state(now: number): BucketState {
    const states = this.#windows.map((window) => window.state(now));
    return states.reduce((worst, state) =>
      state.blockedMs > worst.blockedMs ||
      (state.blockedMs === worst.blockedMs && state.remaining < worst.remaining)
        ? state
        : worst,
    );
  }

  isFull(now: number): boolean {
    return this.#windows.some((window) => window.used(now) >= window.rule.requests);
  }

  /**
   * Returns whether one more request may be admitted without a query: less than half of the rule is used, and less than
   * a twentieth is unreported. So each additional process exceeds a rule by at most a twentieth, and no process exceeds
   * a rule of less than twenty requests.
   */
  isFarFromLimit(now: number): boolean {
    return this.#windows.every(
      ({ rule: { requests } }, i) =>
        this.#unreportedHits < Math.floor(requests / 20) &&
        (this.#windows[i]?.used(now) ?? 0) < requests / 2,
    );
  }

  /**
   * Whether another process may have reset the count of a full bucket, so that a query is worth its cost. Only buckets
   * with small rules are reset: those that count password attempts.
   */
  mayHaveBeenReset(now: number): boolean {
    return (
      this.#windows.every(({ rule }) => rule.requests < 20) &&
      Math.abs(now - this.queriedAt) >= queryAgainMs
    );
  }

  /** Admits one request, to be reported later. */
  admit(now: number): void {
    for (const [i, window] of this.#windows.entries()) {
      const slice = window.sliceAt(now);
      window.add(slice, 1);
      const unreported = this.#unreported[i];
      unreported?.set(slice, (unreported.get(slice) ?? 0) + 1);
    }
    this.#unreportedHits++;
  }

  /** Returns the unreported counts, and marks them as reported. */
  takeUnreported(now: number): StoredWindow[] {
    const reported = this.#unreported;
    this.#unreported = this.#windows.map(() => new Map());
    this.#unreportedHits = 0;
    return this.#windows.map((window, i) => ({
      key: this.keys[i] ?? "",
      floor: window.floorAt(now),
      current: window.sliceAt(now),
      limit: window.rule.requests,
      lifetimeMs: window.lifetimeMs,
      hits: [...(reported[i] ?? [])],
    }));
  }

  /** Takes over the store's counts; requests admitted since the query are added. */
  merge(hits: readonly Hits[]): void {
    for (const [i, window] of this.#windows.entries())
      window.reset([...(hits[i] ?? []), ...(this.#unreported[i] ?? [])]);
  }

  clear(): void {
    this.takeUnreported(0);
    this.merge([]);
  }
}
