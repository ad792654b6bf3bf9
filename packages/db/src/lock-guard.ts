import { lockOrder, type Lock } from "./lock-order.ts";

interface Held extends Lock {
  keys: readonly number[];
  readonly rank: number;
  /** Where it was taken. */
  readonly place: string;
}

/**
 * Remembers which locks a transaction holds and where it took them, and refuses one that is out of order before it is
 * waited for. It knows each lock by its keys: to take one again that is held takes no waiting.
 */
export class LockGuard {
  #held: Held[] = [];

  /**
   * Notes a lock that is about to be taken.
   * @param place who takes it
   * @returns what to call with the keys, where only the statement knew them
   * @throws Error naming both places, where the lock has to come before one that is held
   */
  take(lock: Lock, place = placeOfCaller()): (keys: readonly number[]) => void {
    const { name, keys, shared = false } = lock;
    const own = this.#held.filter((held) => held.name === name);
    const more = keys?.filter((key) => !own.some((held) => held.keys.includes(key)));
    const refuse = (why: string, before: Held) => {
      throw new Error(
        `${why} (docs/decisions/018)` +
          `\n  held: ${before.name} ${before.keys.join(", ")} ${before.place}` +
          `\n  now:  ${name} ${keys?.join(", ") ?? ""} ${place}`,
      );
    };
    const weaker = own.find(
      (held) => held.shared && held.keys.some((key) => keys?.includes(key) && !isAlone(own, key)),
    );
    if (weaker && !shared)
      refuse(`A lock of ${name} must not be shared first and had alone later`, weaker);
    if (more?.length === 0) return () => {};
    const rank = lockOrder.indexOf(name);
    const later = this.#held.find((held) => held.rank > rank);
    if (later) refuse(`A lock of ${name} must be taken before one of ${later.name}`, later);
    const least = more ? Math.min(...more) : Number.NEGATIVE_INFINITY;
    const beyond = !lock.fresh && own.find((held) => held.keys.some((key) => key > least));
    if (beyond) refuse(`Locks of ${name} must be taken in one go, or in ascending order`, beyond);
    const held: Held = { name, shared, keys: more ?? [], rank, place };
    this.#held.push(held);
    return (found) => (held.keys = found);
  }

  /** How much is held, for {@link forget}. */
  get mark(): number {
    return this.#held.length;
  }

  /** Forgets what was taken since the mark: a savepoint has given it back. */
  forget(mark: number): void {
    this.#held = this.#held.slice(0, mark);
  }
}

function isAlone(own: readonly Held[], key: number): boolean {
  return own.some((held) => !held.shared && held.keys.includes(key));
}

/** Functions named: the one that takes the lock, and who called it. */
const named = 3;

/** The files of this package through which locks are taken. */
const own = /packages\/db\/(src|dist)\/(tx|locks|lock-guard|transaction)\.[jt]s/;

/** @internal the innermost functions outside of this package */
export function placeOfCaller(): string {
  const lines = (new Error("here").stack ?? "").split("\n").slice(1);
  const outside = lines.filter((line) => !own.test(line) && !line.includes("node:"));
  return outside
    .slice(0, named)
    .map((line) => line.trim())
    .join(", called ");
}
