import { Lifetime, type Database, type Sql } from "@carillon/db";

/** So many are looked for at once. */
const most = 100;

/** Finds the row of a key. */
export interface LookUp<Key, Found> {
  /** What there is when the database is asked, which is after this was called; undefined where there is nothing. */
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
 * Looks together for what requests ask for that have come in one turn of the event loop: a statement costs the gateway
 * and PostgreSQL much more than what one more key does. Nothing is kept, and nobody waits for what others have asked
 * before.
 */
export class SharedLookUp<Key, Found> implements LookUp<Key, Found> {
  readonly #db: Database;
  readonly #look: (sql: Sql, keys: readonly Key[]) => Promise<ReadonlyArray<Found | undefined>>;
  #asked: Array<Asked<Key, Found>> = [];

  /** @param look gives what there is of each key, in their order */
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

/** Of one request; a class, as `BoundDatabase` is. */
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

/** The lifetime of what several wait for; who leaves it is told so, and it ends with the last one. */
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
