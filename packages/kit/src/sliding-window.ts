/** Allows at most `requests` requests in any `seconds` seconds. */
export interface RateRule {
  readonly seconds: number;
  readonly requests: number;
}

/** The state of one rule. */
export interface RuleState {
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** UNIX milliseconds from which no earlier request counts. */
  readonly freeAt: number;
  /** Milliseconds until one more request is allowed; 0 if it is now. */
  readonly blockedMs: number;
}

/** Requests are counted per slice of the window, so that memory does not depend on their number. */
const slicesPerWindow = 30;

/**
 * Counts requests in a sliding window. A slice counts until all of it is older than the window: the limit is never
 * exceeded, and requests are allowed again up to a thirtieth of the window late. Slices are numbered from the UNIX
 * epoch, so that counts of several processes can be added.
 */
export class SlidingWindow {
  readonly rule: RateRule;
  readonly #windowMs: number;
  readonly #sliceMs: number;
  #hits = new Map<number, number>();

  constructor(rule: RateRule) {
    this.rule = rule;
    this.#windowMs = rule.seconds * 1_000;
    this.#sliceMs = this.#windowMs / slicesPerWindow;
  }

  /** Milliseconds after which a slice that begins now no longer counts. */
  get lifetimeMs(): number {
    return Math.ceil(this.#windowMs + this.#sliceMs);
  }

  /** Returns the number of the slice at a time in UNIX milliseconds. */
  sliceAt(now: number): number {
    return Math.floor(now / this.#sliceMs);
  }

  /** Returns the oldest slice that still counts. */
  floorAt(now: number): number {
    return Math.floor((now - this.#windowMs) / this.#sliceMs);
  }

  add(slice: number, hits: number): void {
    this.#hits.set(slice, (this.#hits.get(slice) ?? 0) + hits);
  }

  /** Replaces all counts. */
  reset(hits: Iterable<readonly [slice: number, hits: number]>): void {
    this.#hits = new Map();
    for (const [slice, count] of hits) this.add(slice, count);
  }

  /** Returns the requests that count at a time; deletes slices that no longer do. */
  used(now: number): number {
    const floor = this.floorAt(now);
    // A slice beyond it was counted before the clock was set back, or by a machine whose clock is far ahead.
    const ceiling = this.sliceAt(now) + slicesPerWindow;
    let used = 0;
    for (const [slice, count] of this.#hits)
      if (slice < floor || slice > ceiling) this.#hits.delete(slice);
      else used += count;
    return used;
  }

  state(now: number): RuleState {
    const used = this.used(now);
    const limit = this.rule.requests;
    const slices = [...this.#hits].sort(([a], [b]) => a - b);
    const newest = slices.at(-1)?.[0];
    let over = used - limit;
    let blockedMs = 0;
    for (const [slice, count] of slices) {
      if (over < 0) break;
      over -= count;
      blockedMs = Math.max(1, this.#endOf(slice) - now);
    }
    return {
      limit,
      remaining: Math.max(0, limit - used),
      freeAt: newest === undefined ? now : this.#endOf(newest),
      blockedMs,
    };
  }

  /** Returns when a slice stops counting, in UNIX milliseconds. */
  #endOf(slice: number): number {
    return (slice + 1) * this.#sliceMs + this.#windowMs;
  }
}
