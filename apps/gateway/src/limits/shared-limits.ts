import { systemClock, type Clock, type Logger, type RateRule } from "@carillon/kit";

import { Bucket, type BucketState } from "./bucket.ts";
import type { HitStore, StoredWindow } from "./hit-store.ts";

export interface SharedLimitsOptions {
  readonly store: HitStore;
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long an answer of the store is waited for, in milliseconds; 1,000 unless given. */
  readonly patienceMs?: number;
  /** Between two tellings of what was let through, in milliseconds; 1,000 unless given. */
  readonly tellEveryMs?: number;
}

/** Buckets that are told of in one go. */
const tellAtOnce = 200;
/** After a failure of the store it is left alone for so long, in milliseconds. */
const restMs = 5_000;
/** Between two complaints of one kind, in milliseconds. */
const complainEveryMs = 60_000;
/** Between two looks at the clock of the store, in milliseconds. */
const synchronizeEveryMs = 60_000;
/** Buckets kept in memory; more than that are strangers' addresses. */
const mostBuckets = 100_000;
const droppedAtOnce = 1_000;

/**
 * Limits that all processes hold together, for little: who is far from a limit is let through on this process's own
 * count, and the others are told once a second; who is near it is let through when the store says so. While the store
 * fails, each process counts for itself.
 */
export class SharedLimits {
  readonly #store: HitStore;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #timer: NodeJS.Timeout;
  #telling: Promise<void> | undefined;
  #synchronizing: Promise<void> | undefined;
  #synchronizedAt = Number.NEGATIVE_INFINITY;
  /** What the clock of the store is ahead of ours, in milliseconds. */
  #aheadMs = 0;
  #restsUntil = 0;
  #complainedAt = -complainEveryMs;
  #sweptAt = 0;
  /** Failures of the store, for the metrics. */
  failures = 0;

  constructor({
    store,
    log,
    clock = systemClock,
    patienceMs = 1_000,
    tellEveryMs = 1_000,
  }: SharedLimitsOptions) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#timer = setInterval(() => void this.tell(), tellEveryMs);
  }

  /** Counts one request of the bucket, unless a rule forbids it: then it is not counted. */
  take(
    name: string,
    rules: readonly RateRule[],
  ): (BucketState & { admitted: boolean }) | Promise<BucketState & { admitted: boolean }> {
    const now = this.#now();
    const resting = this.#resting;
    const bucket = this.#bucket(name, rules);
    bucket.usedAt = now;
    if (bucket.isFull(now) && (resting || !bucket.mayBeForgotten(now)))
      return { ...bucket.state(now), admitted: false };
    if (bucket.isFar(now) || resting) {
      bucket.admit(now);
      return { ...bucket.state(now), admitted: true };
    }
    return this.#ask(bucket);
  }

  /** Forgets what the bucket has counted, everywhere; other processes that know of it may take a moment. */
  async forget(name: string, rules: readonly RateRule[]): Promise<void> {
    const bucket = this.#bucket(name, rules);
    await bucket.turn;
    bucket.clear();
    await this.#trying(() => this.#store.forget(bucket.keys));
  }

  /** Tells the store what was let through, and learns what others let through. */
  tell(): Promise<void> {
    return (this.#telling ??= this.#tell().finally(() => (this.#telling = undefined)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.tell();
    await this.#store.close();
  }

  /** By the clock of the store: the slices of all processes have the same numbers, whatever their machines' clocks say. */
  #now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  get #resting(): boolean {
    return this.#clock.now() < this.#restsUntil;
  }

  #synchronize(): Promise<void> | undefined {
    if (performance.now() - this.#synchronizedAt < synchronizeEveryMs) return undefined;
    return (this.#synchronizing ??= this.#readClock().finally(
      () => (this.#synchronizing = undefined),
    ));
  }

  async #readClock(): Promise<void> {
    const asked = this.#clock.now();
    const there = await this.#trying(() => this.#store.now());
    if (there === undefined) return;
    this.#aheadMs = there - (asked + this.#clock.now()) / 2;
    this.#synchronizedAt = performance.now();
  }

  async #ask(bucket: Bucket): Promise<BucketState & { admitted: boolean }> {
    const admitted = await new Promise<boolean>((resolve) => {
      bucket.waiting.push(resolve);
      if (!bucket.asking) void this.#askFor(bucket);
    });
    const state = bucket.state(this.#now());
    // Room may have come while the answer was under way; who is refused is told a time all the same.
    return admitted
      ? { ...state, admitted }
      : { ...state, admitted, blockedMs: Math.max(1, state.blockedMs) };
  }

  /** One question under way for a bucket: what comes meanwhile is asked for together. */
  async #askFor(bucket: Bucket): Promise<void> {
    bucket.asking = true;
    await Promise.all([bucket.turn, this.#synchronize()]);
    while (bucket.waiting.length > 0) {
      const waiting = bucket.waiting.splice(0);
      bucket.askedAt = this.#now();
      const windows = bucket.tell(this.#now());
      const asked = this.#trying(() => this.#store.take(windows, waiting.length));
      bucket.turn = asked;
      const answer = await asked;
      if (answer) bucket.learn(answer.hits);
      for (const [i, resolve] of waiting.entries())
        resolve(answer ? i < answer.taken : this.#admitAlone(bucket));
    }
    bucket.asking = false;
  }

  #admitAlone(bucket: Bucket): boolean {
    const now = this.#now();
    if (bucket.isFull(now)) return false;
    bucket.admit(now);
    return true;
  }

  async #tell(): Promise<void> {
    if (this.#resting) return;
    const untold = [...this.#buckets.values()].filter(
      ({ hasUntold, asking }) => hasUntold && !asking,
    );
    if (untold.length > 0) await this.#synchronize();
    if (this.#resting) return;
    for (let i = 0; i < untold.length; i += tellAtOnce)
      await this.#tellOf(untold.slice(i, i + tellAtOnce));
    this.#sweep(this.#now());
  }

  async #tellOf(buckets: readonly Bucket[]): Promise<void> {
    // Between the choice and now one of them may have begun to ask.
    const free = buckets.filter(({ asking }) => !asking);
    const now = this.#now();
    const windows: StoredWindow[][] = free.map((bucket) => bucket.tell(now));
    const told = this.#trying(async () => {
      const hits = await this.#store.add(windows.flat());
      let at = 0;
      for (const [i, bucket] of free.entries())
        bucket.learn(hits.slice(at, (at += windows[i]?.length ?? 0)));
    });
    for (const bucket of free) bucket.turn = told;
    await told;
  }

  /** What the store answers; undefined where it fails or takes too long. Never throws. */
  async #trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#resting) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no answer in time")), this.#patienceMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      this.#failed(error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(error: unknown): void {
    this.failures++;
    const now = this.#clock.now();
    this.#restsUntil = now + restMs;
    if (Math.abs(now - this.#complainedAt) < complainEveryMs) return;
    this.#complainedAt = now;
    this.#log.error(
      { err: error },
      "the store of the rate limits does not answer: each process counts for itself",
    );
  }

  #bucket(name: string, rules: readonly RateRule[]): Bucket {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new Bucket(name, rules);
      this.#buckets.set(name, bucket);
      if (this.#buckets.size > mostBuckets) this.#dropOldest();
    }
    return bucket;
  }

  /** Many in one go: a map whose first entries are gone looks through their places each time for the one that is left. */
  #dropOldest(): void {
    let left = droppedAtOnce;
    for (const name of this.#buckets.keys()) {
      if (left-- === 0) return;
      this.#buckets.delete(name);
    }
  }

  /** Lets go of buckets that hold nothing any more. */
  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < 30_000) return;
    this.#sweptAt = now;
    for (const [name, bucket] of this.#buckets)
      if (!bucket.asking && !bucket.hasUntold && Math.abs(now - bucket.usedAt) > bucket.lifetimeMs)
        this.#buckets.delete(name);
  }
}
