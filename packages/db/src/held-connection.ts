import type pg from "pg";

import type { Lifetime } from "./lifetime.ts";
import { PoolClient } from "./pool-client.ts";
import type { Share } from "./share.ts";

/** Milliseconds for one cancel request. */
const cancelMs = 1_000;
/** Milliseconds after which another one is sent: the first may have come between two statements. */
const againMs = 100;
/** Milliseconds after which a connection is cut off on which nothing can be cancelled. */
const cutOffMs = 2_000;

/** A connection of the pool, held until {@link release}; what runs on it ends with the lifetime, if it has one. */
export class HeldConnection {
  readonly connection: pg.PoolClient;
  /** Whether it was cut off, so that nobody knows what became of the statement in progress. */
  cutOff = false;
  readonly #lifetime: Lifetime | undefined;
  readonly #forget: (() => void) | undefined;
  readonly #letGo: (() => void) | undefined;
  readonly #share: Share | undefined;
  #begun: Promise<void> = Promise.resolve();
  #commits = false;
  #released = false;
  #wake = () => {};
  #stopping: Promise<void> | undefined;
  #unusable: Error | undefined;
  #onStopped: (() => void) | undefined;

  /**
   * @param lifetime has not ended
   * @param share of which a place was taken
   */
  constructor(connection: pg.PoolClient, lifetime?: Lifetime, share?: Share) {
    this.connection = connection;
    this.#lifetime = lifetime;
    this.#share = share;
    this.#letGo = lifetime?.hold();
    this.#forget = lifetime?.onEnd((final) => {
      if (final || !this.#commits) this.#stopping ??= this.#stop();
    });
  }

  /**
   * Notes that BEGIN has been sent. Until its answer is there nothing is cancelled: a cancel that hit BEGIN would leave
   * the statements behind it in the pipeline without a transaction, and each would commit by itself. A cancel cannot hit
   * it afterwards: the server answers BEGIN when it is over. Nor can one of an earlier holder of the connection, which
   * is given back only when the server has closed each cancel request, and it closes one after it has signalled the
   * process; a process that is signalled between two statements drops the cancel before it reads the next one.
   * (docs/decisions/011.)
   */
  beginning(begun: Promise<unknown>): void {
    this.#begun = begun.then(
      () => {},
      () => {},
    );
  }

  /** Why the lifetime has ended; undefined while it goes on. */
  get reason(): Error | undefined {
    return this.#lifetime?.reason;
  }

  /**
   * What `work` comes to.
   * @throws the lifetime's reason when that ends first, once nothing of ours can be cancelled by accident any more
   */
  async unlessEnded<T>(work: Promise<T>): Promise<T> {
    const lifetime = this.#lifetime;
    if (!lifetime) return work;
    return new Promise<T>((resolve, reject) => {
      this.#onStopped = () => reject(lifetime.reason ?? new Error("the work has ended"));
      work.then(resolve, reject);
    });
  }

  /**
   * Notes that a COMMIT is about to be sent: from here on only a final end cancels.
   * @throws the lifetime's reason when it has ended
   */
  committing(): void {
    this.#lifetime?.check();
    this.#commits = true;
  }

  /** Rolls the transaction back. */
  async rollBack(): Promise<void> {
    await this.connection.query("ROLLBACK").catch((error: Error) => this.spoil(error));
  }

  /** Notes that nobody may have the connection after this. */
  spoil(error: Error): void {
    this.#unusable ??= error;
  }

  /** Gives the connection back; one that is cut off or in an unknown state leaves the pool. */
  async release(): Promise<void> {
    this.#released = true;
    this.#forget?.();
    this.#wake();
    await this.#stopping;
    this.connection.release(this.#unusable);
    this.#share?.leave();
    this.#letGo?.();
  }

  /** Cancels until the connection is released, and in the end cuts it off. */
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

  /** Whether BEGIN is answered before the time is over in which something must be cancelled. */
  async #hasBegun(): Promise<boolean> {
    let hasBegun = false;
    const begun = this.#begun.then(() => (hasBegun = true));
    await Promise.race([begun, this.#pause(cutOffMs)]);
    this.#wake();
    return hasBegun || this.#released;
  }

  #pause(ms = againMs): Promise<void> {
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
      // It may still arrive, and would hit the next user of the connection.
      this.spoil(error);
    });
  }

  #cut(): void {
    this.cutOff = true;
    this.spoil(new Error("the connection was cut off: nothing on it could be cancelled"));
    if (this.connection instanceof PoolClient) this.connection.cutOff();
  }
}

/**
 * Takes a connection of the pool, after waiting in line for the lifetime's share of it.
 * @throws the lifetime's reason when that ends first; Error when the pool has none within its time
 */
export async function holdConnection(
  pool: pg.Pool,
  lifetime: Lifetime | undefined,
): Promise<HeldConnection> {
  if (!lifetime) return new HeldConnection(await pool.connect());
  lifetime.check();
  const { share } = lifetime;
  await share?.enter(lifetime);
  if (lifetime.reason) {
    share?.leave();
    throw lifetime.reason;
  }
  const connecting = pool.connect();
  try {
    const connection = await unlessEnded(lifetime, connecting);
    return new HeldConnection(connection, lifetime, share);
  } catch (error) {
    // The pool hands the connection out all the same, and until then it is on this account.
    connecting.then(
      (connection) => {
        connection.release();
        share?.leave();
      },
      () => share?.leave(),
    );
    throw error;
  }
}

function unlessEnded<T>(lifetime: Lifetime, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = lifetime.onEnd(() => reject(lifetime.reason));
    const done = work.finally(forget).then((result) => {
      lifetime.check();
      return result;
    });
    done.then(resolve, reject);
  });
}
