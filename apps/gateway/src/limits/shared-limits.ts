import { answerWithin, systemClock, type Clock, type Logger, type RateRule } from "@carillon/kit";

import { Bucket, type BucketState } from "./bucket.ts";
import type { HitStore, StoredWindow } from "./hit-store.ts";

export interface SharedLimitsOptions {
  readonly store: HitStore;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Milliseconds to wait for an answer of the store; 1,000 unless given. */
  readonly answerTimeoutMs?: number;
  /** Milliseconds between two reports of admitted requests; 1,000 unless given. */
  readonly reportEveryMs?: number;
}

/** Buckets in one report. */
const reportBatch = 200;
/** Milliseconds without queries after a failure of the store. */
const pauseMs = 5_000;
/** Milliseconds between two log lines of one kind. */
const logEveryMs = 60_000;
/** Milliseconds between two readings of the store's clock. */
const synchronizeEveryMs = 60_000;
/** Buckets kept in memory; a larger number would be addresses of attackers. */
const maxBuckets = 100_000;
const droppedAtOnce = 1_000;

/**
 * Rate limits shared by all processes at little cost: a request far from a limit is admitted on this process's own
 * count, which is reported once a second; a request near a limit is admitted by the store. While the store fails, each
 * process counts for itself.
 */
export class SharedLimits {
  readonly #store: HitStore;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #answerTimeoutMs: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #timer: NodeJS.Timeout;
  #reporting: Promise<void> | undefined;
  #synchronizing: Promise<void> | undefined;
  #synchronizedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds by which the store's clock is ahead of ours. */
  #aheadMs = 0;
  #pausedUntil = 0;
  #loggedAt = -logEveryMs;
  #sweptAt = 0;
  /** Failures of the store, for the metrics. */
  failures = 0;

  constructor({
    store,
    log,
    clock = systemClock,
    answerTimeoutMs = 1_000,
    reportEveryMs = 1_000,
  }: SharedLimitsOptions) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#timer = setInterval(() => void this.report(), reportEveryMs);
  }

  /** Counts one request of the bucket, unless a rule refuses it. */
  take(
    name: string,
    rules: readonly RateRule[],
  ): (BucketState & { admitted: boolean }) | Promise<BucketState & { admitted: boolean }> {
    const now = this.#now();
    const paused = this.#paused;
    const bucket = this.#bucket(name, rules);
    bucket.usedAt = now;
    if (bucket.isFull(now) && (paused || !bucket.mayHaveBeenReset(now)))
      return { ...bucket.state(now), admitted: false };
    if (bucket.isFarFromLimit(now) || paused) {
      bucket.admit(now);
      return { ...bucket.state(now), admitted: true };
    }
    return this.#ask(bucket);
  }

  /** Resets the bucket's counts in all processes; other processes may notice a moment later. */
  async forget(name: string, rules: readonly RateRule[]): Promise<void> {
    const bucket = this.#bucket(name, rules);
    await bucket.lastExchange;
    bucket.clear();
    await this.#tryStore(() => this.#store.forget(bucket.keys));
  }

  /** Reports admitted requests to the store, and fetches the counts of all processes. */
  report(): Promise<void> {
    return (this.#reporting ??= this.#reportAll().finally(() => (this.#reporting = undefined)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
    await this.#store.close();
  }

  /** Returns the store's time, so that the slices of all processes have the same numbers. */
  #now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  get #paused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  #synchronize(): Promise<void> | undefined {
    if (performance.now() - this.#synchronizedAt < synchronizeEveryMs) return undefined;
    return (this.#synchronizing ??= this.#readClock().finally(
      () => (this.#synchronizing = undefined),
    ));
  }

  async #readClock(): Promise<void> {
    const asked = this.#clock.now();
    const storeTime = await this.#tryStore(() => this.#store.now());
    if (storeTime === undefined) return;
    this.#aheadMs = storeTime - (asked + this.#clock.now()) / 2;
    this.#synchronizedAt = performance.now();
  }

  async #ask(bucket: Bucket): Promise<BucketState & { admitted: boolean }> {
    const admitted = await new Promise<boolean>((resolve) => {
      bucket.waiting.push(resolve);
      if (!bucket.asking) void this.#query(bucket);
    });
    const state = bucket.state(this.#now());
    // There may be room again by now; a refused request still gets a time to wait.
    return admitted
      ? { ...state, admitted }
      : { ...state, admitted, blockedMs: Math.max(1, state.blockedMs) };
  }

  /** Keeps one query for a bucket in progress: requests that come meanwhile share the next one. */
  async #query(bucket: Bucket): Promise<void> {
    bucket.asking = true;
    await Promise.all([bucket.lastExchange, this.#synchronize()]);
    while (bucket.waiting.length > 0) {
      const waiting = bucket.waiting.splice(0);
      bucket.queriedAt = this.#now();
      const windows = bucket.takeUnreported(this.#now());
      const asked = this.#tryStore(() => this.#store.take(windows, waiting.length));
      bucket.lastExchange = asked;
      const answer = await asked;
      if (answer) bucket.merge(answer.hits);
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

  async #reportAll(): Promise<void> {
    if (this.#paused) return;
    const unreported = [...this.#buckets.values()].filter(
      ({ hasUnreported, asking }) => hasUnreported && !asking,
    );
    if (unreported.length > 0) await this.#synchronize();
    if (this.#paused) return;
    for (let i = 0; i < unreported.length; i += reportBatch)
      await this.#reportBuckets(unreported.slice(i, i + reportBatch));
    this.#sweep(this.#now());
  }

  async #reportBuckets(buckets: readonly Bucket[]): Promise<void> {
    // A query for one of them may have begun since the choice.
    const free = buckets.filter(({ asking }) => !asking);
    const now = this.#now();
    const windows: StoredWindow[][] = free.map((bucket) => bucket.takeUnreported(now));
    const reported = this.#tryStore(async () => {
      const hits = await this.#store.add(windows.flat());
      let at = 0;
      for (const [i, bucket] of free.entries())
        bucket.merge(hits.slice(at, (at += windows[i]?.length ?? 0)));
    });
    for (const bucket of free) bucket.lastExchange = reported;
    await reported;
  }

  /** Returns the store's answer; undefined if it fails or takes too long. Never throws. */
  async #tryStore<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#paused) return undefined;
    try {
      return await answerWithin(work(), this.#answerTimeoutMs);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    this.failures++;
    const now = this.#clock.now();
    this.#pausedUntil = now + pauseMs;
    if (Math.abs(now - this.#loggedAt) < logEveryMs) return;
    this.#loggedAt = now;
    this.#log.error(
      { err: error },
      "rate-limit store does not answer; each process counts for itself",
    );
  }

  #bucket(name: string, rules: readonly RateRule[]): Bucket {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new Bucket(name, rules);
      this.#buckets.set(name, bucket);
      if (this.#buckets.size > maxBuckets) this.#dropOldest();
    }
    return bucket;
  }

  /** Drops the oldest buckets, many at once, because each iteration of a Map scans the deleted entries at its beginning. */
  #dropOldest(): void {
    let left = droppedAtOnce;
    for (const name of this.#buckets.keys()) {
      if (left-- === 0) return;
      this.#buckets.delete(name);
    }
  }

  /** Drops buckets whose counts have expired. */
  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < 30_000) return;
    this.#sweptAt = now;
    for (const [name, bucket] of this.#buckets)
      if (
        !bucket.asking &&
        !bucket.hasUnreported &&
        Math.abs(now - bucket.usedAt) > bucket.lifetimeMs
      )
        this.#buckets.delete(name);
  }
}
