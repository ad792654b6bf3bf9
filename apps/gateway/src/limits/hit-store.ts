/** Hits by the slices of a window. */
export type Hits = ReadonlyArray<readonly [slice: number, hits: number]>;

/** One window in a query to the store. */
export interface StoredWindow {
  /** Names the bucket and the rule. */
  readonly key: string;
  /** The oldest slice that counts. */
  readonly floor: number;
  /** The slice of this moment. */
  readonly current: number;
  readonly limit: number;
  /** Milliseconds for which a slice that begins now counts. */
  readonly lifetimeMs: number;
  /** Requests that this process has admitted and not reported yet. */
  readonly hits: Hits;
}

/** Counts shared by the processes of an installation. Every method may fail. */
export interface HitStore {
  /** The store's time, in UNIX milliseconds. */
  now(): Promise<number>;
  /** Adds the hits of many windows, and returns the new counts. */
  add(windows: readonly StoredWindow[]): Promise<Hits[]>;
  /**
   * Adds the hits of one bucket's windows, then as many of `wanted` as all windows have room for, atomically: of two
   * concurrent processes the second sees what the first took.
   */
  take(
    windows: readonly StoredWindow[],
    wanted: number,
  ): Promise<{ readonly taken: number; readonly hits: Hits[] }>;
  forget(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
