/** Hits by the slices of a window. */
export type Hits = ReadonlyArray<readonly [slice: number, hits: number]>;

/** One window as the store is asked about it. */
export interface StoredWindow {
  /** Of the bucket and the rule. */
  readonly key: string;
  /** The oldest slice that counts. */
  readonly floor: number;
  /** The slice of this moment. */
  readonly current: number;
  readonly limit: number;
  /** How long a slice that begins now counts, in milliseconds. */
  readonly lifetimeMs: number;
  /** What this process has let through and not told yet. */
  readonly hits: Hits;
}

/** What the processes of an installation count together. Every method may fail. */
export interface HitStore {
  /** The time there, in UNIX milliseconds. */
  now(): Promise<number>;
  /** Adds the hits of many windows, and tells what each holds then. */
  add(windows: readonly StoredWindow[]): Promise<Hits[]>;
  /**
   * Adds the hits of one bucket's windows, then as many more of `wanted` as all of them have room for, in one step: of
   * two processes that ask at once the second sees what the first took.
   */
  take(
    windows: readonly StoredWindow[],
    wanted: number,
  ): Promise<{ readonly taken: number; readonly hits: Hits[] }>;
  forget(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
