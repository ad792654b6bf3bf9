import type pg from "pg";

import type { RequestDeadline } from "./request-deadline.ts";
import { PoolClient } from "./pool-client.ts";
import type { Semaphore } from "@carillon/kit";

/** Milliseconds for one cancel request. */
const cancelMs = 1_000;
/** Milliseconds until the next cancel request: the previous one may have arrived between two statements. */
const cancelAgainMs = 100;
/** Milliseconds after which the connection is cut off if its statement was not cancelled. */
const cutOffMs = 2_000;

/** A connection of the pool, held until {@link release}. Work on it ends with the deadline, if there is one. */
export class HeldConnection {
  readonly connection: pg.PoolClient;
  /** Whether it was cut off: the result of the statement in progress is unknown. */
  cutOff = false;
  readonly #deadline: RequestDeadline | undefined;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #releaseDeadline: (() => void) | undefined;
  readonly #limit: Semaphore | undefined;
  #begun: Promise<void> = Promise.resolve();
  #commits = false;
  #released = false;
  #wake = () => {};
  #stopping: Promise<void> | undefined;
  #unusable: Error | undefined;
  #onStopped: (() => void) | undefined;

  /**
   * @param deadline has not ended
   * @param limit a permit of it has been acquired for this connection
   */
  constructor(connection: pg.PoolClient, deadline?: RequestDeadline, limit?: Semaphore) {
    this.connection = connection;
    this.#deadline = deadline;
    this.#limit = limit;
    this.#releaseDeadline = deadline?.hold();
    this.#unsubscribe = deadline?.onEnd((final) => {
      if (final || !this.#commits) this.#stopping ??= this.#stop();
    });
  }

  /**
   * Records that BEGIN has been sent. Nothing is cancelled until the server has answered it: a cancelled BEGIN would leave
   * the statements behind it in the pipeline without a transaction, and each would commit by itself. A cancel request of an
   * earlier holder of the connection cannot hit BEGIN either. The connection is released only after the server has closed
   * each cancel request, and the server closes it after signalling the backend; a backend that is signalled between two
   * statements drops the cancel before it reads the next one (docs/decisions/011).
   */
  beginning(begun: Promise<unknown>): void {
    this.#begun = begun.then(
      () => {},
      () => {},
    );
  }

  /** Why the deadline has ended; undefined before. */
  get reason(): Error | undefined {
    return this.#deadline?.reason;
  }

  /**
   * Returns the result of `work`.
   * @throws the deadline's reason when that ends first, once the cancel request has been sent
   */
  async unlessEnded<T>(work: Promise<T>): Promise<T> {
    const deadline = this.#deadline;
    if (!deadline) return work;
    return new Promise<T>((resolve, reject) => {
      this.#onStopped = () => reject(deadline.reason ?? new Error("the work has ended"));
      work.then(resolve, reject);
    });
  }

  /**
   * Records that a COMMIT is about to be sent: from here on only a final end cancels.
   * @throws the deadline's reason when it has ended
   */
  committing(): void {
    this.#deadline?.check();
    this.#commits = true;
  }

  /** Rolls the transaction back. */
  async rollBack(): Promise<void> {
    await this.connection.query("ROLLBACK").catch((error: Error) => this.spoil(error));
  }

  /** Marks the connection as unusable: it leaves the pool when released. */
  spoil(error: Error): void {
    this.#unusable ??= error;
  }

  /** Returns the connection to the pool; an unusable one is closed. */
  async release(): Promise<void> {
    this.#released = true;
    this.#unsubscribe?.();
    this.#wake();
    await this.#stopping;
    this.connection.release(this.#unusable);
    this.#limit?.release();
    this.#releaseDeadline?.();
  }

  /** Cancels running statements until the connection is released; cuts the connection off after two seconds. */
  async #stop(): Promise<void> {
    const until = performance.now() + cutOffMs;
    if (!(await this.#hasBegun())) {
      this.#cut();
      this.#onStopped?.();
      return;
    }
    while (!this.#released) {
      if (performance.now() > until) return this.#cut();
      await this.#cancel();
      this.#onStopped?.();
      if (!this.#released) await this.#pause();
    }
  }

  /** Returns whether BEGIN is answered in time for a cancel. */
  async #hasBegun(): Promise<boolean> {
    let hasBegun = false;
    const begun = this.#begun.then(() => (hasBegun = true));
    await Promise.race([begun, this.#pause(cutOffMs)]);
    this.#wake();
    return hasBegun || this.#released;
  }

  #pause(ms = cancelAgainMs): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #cancel(): Promise<void> {
    if (!(this.connection instanceof PoolClient)) return;
    await this.connection.cancelRunning(cancelMs).catch((error: Error) => {
      // The request may still arrive, and would cancel a statement of the next holder.
      this.spoil(error);
    });
  }

  #cut(): void {
    this.cutOff = true;
    this.spoil(new Error("the connection was cut off: its statement could not be cancelled"));
    if (this.connection instanceof PoolClient) this.connection.cutOff();
  }
}

/**
 * Takes a connection of the pool, after waiting for a permit of the deadline's concurrency limit.
 * @throws the deadline's reason when that ends first; Error when no connection becomes free in time
 */
export async function holdConnection(
  pool: pg.Pool,
  deadline: RequestDeadline | undefined,
): Promise<HeldConnection> {
  if (!deadline) return new HeldConnection(await pool.connect());
  deadline.check();
  const limit = deadline.connectionLimit;
  await limit?.acquire(deadline);
  if (deadline.reason) {
    limit?.release();
    throw deadline.reason;
  }
  const connecting = pool.connect();
  try {
    const connection = await unlessEnded(deadline, connecting);
    return new HeldConnection(connection, deadline, limit);
  } catch (error) {
    // The pool still hands the connection out; until then the permit stays taken.
    connecting.then(
      (connection) => {
        connection.release();
        limit?.release();
      },
      () => limit?.release(),
    );
    throw error;
  }
}

function unlessEnded<T>(deadline: RequestDeadline, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = deadline.onEnd(() => reject(deadline.reason));
    const done = work.finally(forget).then((result) => {
      deadline.check();
      return result;
    });
    done.then(resolve, reject);
  });
}
