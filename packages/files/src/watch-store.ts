import type { Logger } from "@carillon/kit";

import { type FileStore, isUnavailable, type StorageUnavailable } from "./store.ts";

/** Counts of a process since its start. They only rise. */
export interface StoreCounts {
  /** Objects that were stored. */
  stored: number;
  /** Bytes of these objects. */
  storedBytes: number;
  /** Objects that were not stored because the store was unavailable. */
  unavailable: number;
  /** Objects that were not stored for another reason: the client hung up, or was too slow while other uploads waited. */
  broken: number;
}

/** A file store that reports whether it can be used. */
export interface WatchedStore extends FileStore {
  /** Whether the store is unavailable: see {@link watchStore}. */
  readonly isUnavailable: boolean;
  readonly counts: Readonly<StoreCounts>;
}

export interface WatchOptions {
  /** Called once when the store becomes unavailable. */
  readonly onUnavailable: (error: StorageUnavailable) => void;
  /** Called once when it is available again. @param seconds since it became unavailable */
  readonly onAvailable: (seconds: number) => void;
  /** Milliseconds between checks of a store that is unavailable. */
  readonly checkEveryMs?: number;
  /** Minimum milliseconds since the last failure before the store counts as available: checks succeed on a nearly full disk. */
  readonly settleMs?: number;
}

/** Returns options that log when the store becomes unavailable, and when it is available again: one line each. */
export function logAvailability(
  log: Pick<Logger, "error" | "info">,
): Pick<WatchOptions, "onUnavailable" | "onAvailable"> {
  return {
    onUnavailable: (err) => log.error({ err }, "file store is unavailable"),
    onAvailable: (seconds) => log.info({ seconds }, "file store is available again"),
  };
}

/**
 * Watches the calls of a store. Checks a store that is unavailable until it is available again, so that this is noticed
 * without requests.
 *
 *     available ── a call fails ──→ unavailable ── a check succeeds, and no call has failed for 15 s ──→ available
 */
export function watchStore(store: FileStore, options: WatchOptions): WatchedStore {
  const { onUnavailable, onAvailable, checkEveryMs = 5_000, settleMs = 15_000 } = options;
  const counts: StoreCounts = { stored: 0, storedBytes: 0, unavailable: 0, broken: 0 };
  let since: number | undefined;
  let lastFailure = 0;
  let timer: NodeJS.Timeout | undefined;

  const failed = (error: unknown) => {
    if (!isUnavailable(error)) return;
    lastFailure = performance.now();
    if (since !== undefined) return;
    since = lastFailure;
    checkLater();
    onUnavailable(error);
  };
  const checkLater = () => {
    timer = setTimeout(() => void checkNow(), checkEveryMs).unref();
  };
  const checkNow = async () => {
    try {
      await store.check();
      if (performance.now() - lastFailure >= settleMs) available();
    } catch {
      lastFailure = performance.now();
    }
    if (since !== undefined && timer) checkLater();
  };
  const available = () => {
    const seconds = Math.round((performance.now() - (since ?? 0)) / 1_000);
    since = undefined;
    onAvailable(seconds);
  };
  const watched = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      failed(error);
      throw error;
    }
  };

  return {
    about: store.about,
    get isUnavailable() {
      return since !== undefined;
    },
    counts,
    async put(key, body, putOptions) {
      try {
        const stored = await watched(store.put(key, body, putOptions));
        counts.stored++;
        counts.storedBytes += stored.size;
        return stored;
      } catch (error) {
        if (isUnavailable(error)) counts.unavailable++;
        else counts.broken++;
        throw error;
      }
    },
    async get(key, readOptions) {
      const file = await watched(store.get(key, readOptions));
      file.stream.on("error", failed);
      return file;
    },
    read: (key, size) => watched(store.read(key, size)),
    stat: (key, statOptions) => watched(store.stat(key, statOptions)),
    delete: (keys) => watched(store.delete(keys)),
    check: (checkOptions) => watched(store.check(checkOptions)),
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await store.close();
    },
  };
}
