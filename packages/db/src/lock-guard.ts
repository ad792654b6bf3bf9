import { lockOrder, type Lock } from "./lock-order.ts";

interface Held extends Lock {
  keys: readonly number[];
  readonly rank: number;
  /** An error whose stack names the code that took the lock. */
  readonly place: Error;
}

/**
 * Checks the order of a transaction's locks: records which locks it holds and where it took them, and refuses a lock that
 * is out of order before the transaction waits for it. A lock that is held may be taken again.
 */
export class LockGuard {
  #held: Held[] = [];

  /**
   * Records a lock that is about to be taken.
   * @param place result of {@link markPlace}, called where the lock is taken
   * @returns a function to call with the keys, if only the statement knows them
   * @throws Error naming both places when the lock has to be taken before one that is held
   */
  take(lock: Lock, place = markPlace()): (keys: readonly number[]) => void {
    const { name, keys, shared = false } = lock;
    const own = this.#held.filter((held) => held.name === name);
    const more = keys?.filter((key) => !own.some((held) => held.keys.includes(key)));
    const refuse = (why: string, before: Held) => {
      throw new Error(
        `${why} (docs/decisions/018)` +
          `\n  held: ${before.name} ${before.keys.join(", ")} ${callersAt(before.place)}` +
          `\n  now:  ${name} ${keys?.join(", ") ?? ""} ${callersAt(place)}`,
      );
    };
    const weaker = own.find(
      (held) =>
        held.shared && held.keys.some((key) => keys?.includes(key) && !isExclusive(own, key)),
    );
    if (weaker && !shared)
      refuse(`A lock of ${name} must not be shared first and exclusive later`, weaker);
    if (more?.length === 0) return () => {};
    const rank = lockOrder.indexOf(name);
    const later = this.#held.find((held) => held.rank > rank);
    if (later) refuse(`A lock of ${name} must be taken before one of ${later.name}`, later);
    const least = more ? Math.min(...more) : Number.NEGATIVE_INFINITY;
    const beyond = !lock.fresh && own.find((held) => held.keys.some((key) => key > least));
    if (beyond)
      refuse(`Locks of ${name} must be taken in one statement, or in ascending order`, beyond);
    const held: Held = { name, shared, keys: more ?? [], rank, place };
    this.#held.push(held);
    return (found) => (held.keys = found);
  }

  /** How many locks are held, for {@link forget}. */
  get mark(): number {
    return this.#held.length;
  }

  /** Forgets the locks taken since the mark: the rollback to a savepoint has released them. */
  forget(mark: number): void {
    this.#held = this.#held.slice(0, mark);
  }
}

function isExclusive(own: readonly Held[], key: number): boolean {
  return own.some((held) => !held.shared && held.keys.includes(key));
}

/** How many functions an error names: the one that takes the lock, and its callers. */
const placesNamed = 3;

/** The files of this package through which locks are taken. */
const lockingFiles = /packages\/db\/(src|dist)\/(tx|locks|lock-guard|transaction)\.[jt]s/;

/** @internal Records the call stack. It is formatted for an error only, because formatting costs more than the lock. */
export function markPlace(): Error {
  return new Error("here");
}

/** Returns the innermost functions outside this package. */
function callersAt(place: Error): string {
  const lines = (place.stack ?? "").split("\n").slice(1);
  const outside = lines.filter((line) => !lockingFiles.test(line) && !line.includes("node:"));
  return outside
    .slice(0, placesNamed)
    .map((line) => line.trim())
    .join(", called ");
}
