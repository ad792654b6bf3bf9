/** At most so many requests in any so many seconds. */
export interface RateRule {
  readonly seconds: number;
  readonly requests: number;
}

/** How one rule stands. */
export interface RuleState {
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** UNIX milliseconds when nothing counts any more. */
  readonly freeAt: number;
  /** Milliseconds until there is room for one; 0 where there is. */
  readonly blockedMs: number;
}

/** A window is counted in slices, so that it takes little room however much it holds. */
const slicesPerWindow = 30;

/**
 * Counts what happened in the last seconds. A slice counts until all of it is older than the window: the rule is never
 * exceeded, and room comes back up to a thirtieth of the window late. Slices are numbered from the epoch, so that
 * several processes can add theirs together.
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

  /** Milliseconds after which a slice that begins now counts no more. */
  get lifetimeMs(): number {
    return Math.ceil(this.#windowMs + this.#sliceMs);
  }

  /** The number of the slice at a time, in UNIX milliseconds. */
  sliceAt(now: number): number {
    return Math.floor(now / this.#sliceMs);
  }

  /** The oldest slice that still counts. */
  floorAt(now: number): number {
    return Math.floor((now - this.#windowMs) / this.#sliceMs);
  }

  add(slice: number, hits: number): void {
    this.#hits.set(slice, (this.#hits.get(slice) ?? 0) + hits);
  }

  /** Replaces what is counted. */
  reset(hits: Iterable<readonly [slice: number, hits: number]>): void {
    this.#hits = new Map();
    for (const [slice, count] of hits) this.add(slice, count);
  }

  /** What counts at a time; what does not is forgotten. */
  used(now: number): number {
    const floor = this.floorAt(now);
    // The clock was set back, or another machine's is far ahead.
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

  /** When a slice stops counting. */
  #endOf(slice: number): number {
    return (slice + 1) * this.#sliceMs + this.#windowMs;
  }
}
