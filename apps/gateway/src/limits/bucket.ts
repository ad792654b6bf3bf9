import { SlidingWindow, type RateRule } from "@carillon/kit";

import type { Hits, StoredWindow } from "./hit-store.ts";

/** How a bucket stands: its strictest rule. */
export interface BucketState {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX milliseconds. */
  readonly freeAt: number;
  /** Milliseconds; 0 where there is room. */
  readonly blockedMs: number;
}

/** Between two questions about a bucket that is full, in milliseconds. */
const askAgainMs = 1_000;

/** What one process knows of a bucket: what is counted together, and what it has let through and not told yet. */
export class Bucket {
  readonly keys: readonly string[];
  readonly #windows: readonly SlidingWindow[];
  /** By window, then by slice. */
  #untold: Array<Map<number, number>>;
  #untoldHits = 0;
  /** When it was last asked for, in milliseconds. */
  usedAt = 0;
  /** When the store was last asked about it, likewise. */
  askedAt = 0;
  /** The last exchange with the store that was begun: the next one waits for it. */
  turn: Promise<unknown> = Promise.resolve();
  /** Requests that wait for the store's word. */
  readonly waiting: Array<(admitted: boolean) => void> = [];
  asking = false;

  constructor(name: string, rules: readonly RateRule[]) {
    this.#windows = rules.map((rule) => new SlidingWindow(rule));
    this.keys = rules.map(({ seconds }, i) => `${name}/${i}/${seconds}`);
    this.#untold = rules.map(() => new Map());
  }

  /** Milliseconds after which it holds nothing any more. */
  get lifetimeMs(): number {
    return Math.max(...this.#windows.map(({ lifetimeMs }) => lifetimeMs));
  }

  get hasUntold(): boolean {
    return this.#untoldHits > 0;
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
   * Whether one more may be let through without asking: less than half is used, and less than a twentieth has not
   * been told yet. So a rule is exceeded by no more than a twentieth for each further process, and one of less than
   * twenty requests never.
   */
  isFar(now: number): boolean {
    return this.#windows.every(
      ({ rule: { requests } }, i) =>
        this.#untoldHits < Math.floor(requests / 20) &&
        (this.#windows[i]?.used(now) ?? 0) < requests / 2,
    );
  }

  /**
   * Whether a full one is worth a question: of rules that are always asked, such as that of passwords, another process
   * may have forgotten what was counted.
   */
  mayBeForgotten(now: number): boolean {
    return (
      this.#windows.every(({ rule }) => rule.requests < 20) &&
      Math.abs(now - this.askedAt) >= askAgainMs
    );
  }

  /** Lets one through, to be told later. */
  admit(now: number): void {
    for (const [i, window] of this.#windows.entries()) {
      const slice = window.sliceAt(now);
      window.add(slice, 1);
      const untold = this.#untold[i];
      untold?.set(slice, (untold.get(slice) ?? 0) + 1);
    }
    this.#untoldHits++;
  }

  /** What there is to be told, which then counts as told. */
  tell(now: number): StoredWindow[] {
    const told = this.#untold;
    this.#untold = this.#windows.map(() => new Map());
    this.#untoldHits = 0;
    return this.#windows.map((window, i) => ({
      key: this.keys[i] ?? "",
      floor: window.floorAt(now),
      current: window.sliceAt(now),
      limit: window.rule.requests,
      lifetimeMs: window.lifetimeMs,
      hits: [...(told[i] ?? [])],
    }));
  }

  /** Takes over what the store knows; what has been let through since it was asked comes on top. */
  learn(hits: readonly Hits[]): void {
    for (const [i, window] of this.#windows.entries())
      window.reset([...(hits[i] ?? []), ...(this.#untold[i] ?? [])]);
  }

  clear(): void {
    this.tell(0);
    this.learn([]);
  }
}
