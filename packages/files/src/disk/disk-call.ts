import { Semaphore, threadPoolSize, type Cancellation } from "@carillon/kit";

import { reasonOf } from "../body-reader.ts";
import { hungError } from "./disk-errors.ts";

/** Limits of the operations on a disk. */
export interface DiskLimits {
  /** Maximum milliseconds of one operation, including its wait for a permit. */
  readonly limitMs: number;
  /** Limits concurrent operations. Default: one limit for the whole process. */
  readonly operations?: Semaphore;
}

/**
 * Limits the operations on disks that run at the same time in this process. An operation on a hung disk occupies its thread
 * until the disk is back. Without a free thread nothing else in the process would work.
 */
export const diskOperations = new Semaphore(
  Math.max(threadPoolSize - 4, Math.min(threadPoolSize - 1, 3), 1),
);

/**
 * A call of the disk store. It fails when an operation takes longer than the limit. The operation itself cannot be cancelled:
 * it continues in the background, and cleans up when the disk is back.
 *
 *     running ── operation too slow, or signal aborted ──→ failed
 */
export class DiskCall implements Cancellation {
  readonly #folder: string;
  readonly #limitMs: number;
  readonly #operations: Semaphore;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.#fail(reasonOf(this.#signal));
  #reason: Error | undefined;
  #isHung: () => void = () => {};
  readonly #hung = new Promise<void>((resolve) => (this.#isHung = resolve));

  /** @param folder `FILES_DIR`, for errors */
  constructor(
    folder: string,
    { limitMs, operations = diskOperations }: DiskLimits,
    signal?: AbortSignal,
  ) {
    this.#folder = folder;
    this.#limitMs = limitMs;
    this.#operations = operations;
    this.#signal = signal;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort);
  }

  /** Why the call has failed; undefined while it runs. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Aborted when the call fails. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs the work of the call. Rejects at once when an operation is too slow; the work then continues in the background.
   * @throws the error of the work; StorageUnavailable
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    running.catch(() => {});
    const hung = this.#hung.then(() => {
      throw this.#reason;
    });
    try {
      return await Promise.race([running, hung]);
    } finally {
      // A restore uses one signal for all its files.
      this.#signal?.removeEventListener("abort", this.#onAbort);
    }
  }

  /**
   * Runs an operation on the disk, or several in sequence. Returns its result even if it comes too late, so that the
   * caller can close or remove what the operation has created.
   * @throws the reason of the call if that has failed before the operation begins
   */
  async step<T>(operation: () => Promise<T>): Promise<T> {
    return this.watched(async () => {
      await this.#operations.acquire(this);
      try {
        return await operation();
      } finally {
        this.#operations.release();
      }
    });
  }

  /** Waits for work that limits its operations itself, for at most the time limit. */
  async watched<T>(work: () => Promise<T>): Promise<T> {
    if (this.#reason) throw this.#reason;
    return this.#timed(work);
  }

  /** Runs an operation even if the call has failed. The operation has no time limit, but {@link run} stops waiting for it. */
  async cleanUp<T>(operation: () => Promise<T>): Promise<T> {
    return this.#timed(() => this.#operations.run(operation));
  }

  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#hang(), this.#limitMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  #hang(): void {
    this.#fail(hungError(this.#folder, this.#limitMs));
    this.#isHung();
  }

  #fail(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#ending.abort(reason);
    for (const listener of this.#listeners) listener();
  }
}
