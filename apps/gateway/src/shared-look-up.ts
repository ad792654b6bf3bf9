import { Lifetime, type Database, type Sql } from "@carillon/db";

/** Keys in one query. */
const most = 100;

/** Finds values by key. */
export interface LookUp<Key, Found> {
  /** Returns the value as of a query that begins after this call; undefined where there is none. */
  find(key: Key): Promise<Found | undefined>;
  /** The same for the work of one request. */
  within(lifetime: Lifetime): LookUp<Key, Found>;
}

interface Asked<Key, Found> {
  readonly key: Key;
  readonly lifetime: Lifetime;
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
  #asked: Array<Asked<Key, Found>> = [];

  /** @param look returns the value of each key, in order */
  constructor(
    db: Database,
    look: (sql: Sql, keys: readonly Key[]) => Promise<ReadonlyArray<Found | undefined>>,
  ) {
    this.#db = db;
    this.#look = look;
  }

  find(key: Key, lifetime = new Lifetime()): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      const number = this.#asked.push({ key, lifetime, resolve, reject });
      if (number === 1) setImmediate(() => this.#askAll());
    });
  }

  within(lifetime: Lifetime): LookUp<Key, Found> {
    return new LookUpWithin(this, lifetime);
  }

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += most)
      void this.#ask(asked.slice(from, from + most));
  }

  async #ask(asked: ReadonlyArray<Asked<Key, Found>>): Promise<void> {
    const [first, second] = asked;
    const shared = second ? untilAllHaveEnded(asked) : undefined;
    const lifetime = shared?.lifetime ?? first!.lifetime;
    try {
      const found = await this.#look(
        this.#db.within(lifetime),
        asked.map(({ key }) => key),
      );
      for (const [i, { resolve }] of asked.entries()) resolve(found[i]);
    } catch (error) {
      for (const { lifetime: own, reject } of asked) reject(own.reason ?? error);
    } finally {
      shared?.forget();
    }
  }
}

/** The look-up for one request; a class for the same reason as `BoundDatabase`. */
class LookUpWithin<Key, Found> implements LookUp<Key, Found> {
  readonly #shared: SharedLookUp<Key, Found>;
  readonly #lifetime: Lifetime;

  constructor(shared: SharedLookUp<Key, Found>, lifetime: Lifetime) {
    this.#shared = shared;
    this.#lifetime = lifetime;
  }

  find(key: Key): Promise<Found | undefined> {
    return this.#shared.find(key, this.#lifetime);
  }

  within(lifetime: Lifetime): LookUp<Key, Found> {
    return this.#shared.within(lifetime);
  }
}

/**
 * Makes the lifetime of a shared query: a request whose lifetime ends is rejected at once, and the query ends with the
 * last request.
 */
function untilAllHaveEnded<Key, Found>(asked: ReadonlyArray<Asked<Key, Found>>) {
  const shared = new Lifetime();
  shared.share = asked[0]!.lifetime.share;
  let left = 0;
  const leave = ({ lifetime, reject }: Asked<Key, Found>) => {
    reject(lifetime.reason);
    if (++left === asked.length) shared.end(lifetime.reason!, true);
  };
  const forgets = asked.map((one) => {
    if (one.lifetime.reason) {
      leave(one);
      return () => {};
    }
    const forget = one.lifetime.onEnd(() => {
      forget();
      leave(one);
    });
    return forget;
  });
  return { lifetime: shared, forget: () => forgets.forEach((forget) => forget()) };
}
