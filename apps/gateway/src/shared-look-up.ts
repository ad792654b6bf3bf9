import { RequestDeadline, type Database, type Sql } from "@carillon/db";

/** Maximum keys in one query, unless another limit is given. */
const defaultLimit = 100;

/** Finds values by key. */
export interface LookUp<Key, Found> {
  /** Returns the value as of a query that begins after this call; undefined if there is none. */
  find(key: Key): Promise<Found | undefined>;
  /** Returns a look-up that ends at the deadline of one request. */
  within(deadline: RequestDeadline): LookUp<Key, Found>;
}

interface PendingLookUp<Key, Found> {
  readonly key: Key;
  readonly deadline: RequestDeadline;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches the look-ups of requests that arrive in one turn of the event loop: a statement costs the gateway and
 * PostgreSQL much more than one more key. It caches nothing, and no request waits for an earlier batch.
 */
export class SharedLookUp<Key, Found> implements LookUp<Key, Found> {
  readonly #db: Database;
  readonly #look: (sql: Sql, keys: readonly Key[]) => Promise<ReadonlyArray<Found | undefined>>;
  readonly #limit: number;
  #asked: Array<PendingLookUp<Key, Found>> = [];

  /**
   * @param look returns the value of each key, in order
   * @param limit maximum keys in one query
   */
  constructor(
    db: Database,
    look: (sql: Sql, keys: readonly Key[]) => Promise<ReadonlyArray<Found | undefined>>,
    limit = defaultLimit,
  ) {
    this.#db = db;
    this.#look = look;
    this.#limit = limit;
  }

  find(key: Key, deadline = new RequestDeadline()): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      const number = this.#asked.push({ key, deadline, resolve, reject });
      if (number === 1) setImmediate(() => this.#askAll());
    });
  }

  within(deadline: RequestDeadline): LookUp<Key, Found> {
    return new LookUpWithin(this, deadline);
  }

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += this.#limit)
      void this.#ask(asked.slice(from, from + this.#limit));
  }

  async #ask(asked: ReadonlyArray<PendingLookUp<Key, Found>>): Promise<void> {
    const [first, second] = asked;
    const shared = second ? untilAllHaveEnded(asked) : undefined;
    const deadline = shared?.deadline ?? first!.deadline;
    try {
      const found = await this.#look(
        this.#db.within(deadline),
        asked.map(({ key }) => key),
      );
      for (const [i, { resolve }] of asked.entries()) resolve(found[i]);
    } catch (error) {
      for (const { deadline: own, reject } of asked) reject(own.reason ?? error);
    } finally {
      shared?.forget();
    }
  }
}

/** The look-up for one request; a class for the same reason as `BoundDatabase`. */
class LookUpWithin<Key, Found> implements LookUp<Key, Found> {
  readonly #shared: SharedLookUp<Key, Found>;
  readonly #deadline: RequestDeadline;

  constructor(shared: SharedLookUp<Key, Found>, deadline: RequestDeadline) {
    this.#shared = shared;
    this.#deadline = deadline;
  }

  find(key: Key): Promise<Found | undefined> {
    return this.#shared.find(key, this.#deadline);
  }

  within(deadline: RequestDeadline): LookUp<Key, Found> {
    return this.#shared.within(deadline);
  }
}

/**
 * Makes the deadline of a shared query: a request whose deadline ends is rejected at once, and the query ends with the
 * last request.
 */
function untilAllHaveEnded<Key, Found>(asked: ReadonlyArray<PendingLookUp<Key, Found>>) {
  const shared = new RequestDeadline();
  shared.connectionLimit = asked[0]!.deadline.connectionLimit;
  let left = 0;
  const leave = ({ deadline, reject }: PendingLookUp<Key, Found>) => {
    reject(deadline.reason);
    if (++left === asked.length) shared.end(deadline.reason!, true);
  };
  const forgets = asked.map((one) => {
    if (one.deadline.reason) {
      leave(one);
      return () => {};
    }
    const forget = one.deadline.onEnd(() => {
      forget();
      leave(one);
    });
    return forget;
  });
  return { deadline: shared, forget: () => forgets.forEach((forget) => forget()) };
}
