import { Tail, type TailParts } from "./tail.ts";

/** Milliseconds without polls after which an organization's tail is closed. */
const unusedMs = 600_000;

/** The tails of a gateway, one for each organization with polls. */
export class Tails<Context> {
  readonly #parts: TailParts<Context>;
  readonly #tails = new Map<number, Promise<Tail<Context>>>();

  constructor(parts: TailParts<Context>) {
    this.#parts = parts;
  }

  /** Returns the organization's tail if it has been opened. */
  known(realmId: number): Promise<Tail<Context>> | undefined {
    return this.#tails.get(realmId);
  }

  /** Returns the organization's tail, opening it if needed, and marks it as used. */
  async of(realmId: number): Promise<Tail<Context>> {
    for (;;) {
      const tail = await (this.#tails.get(realmId) ?? this.#open(realmId));
      tail.usedAt = performance.now();
      if (!tail.closed) return tail;
    }
  }

  /** Returns the tails that could be opened. */
  async opened(): Promise<Array<Tail<Context>>> {
    const tails = await Promise.allSettled(this.#tails.values());
    return tails.flatMap((tail) => (tail.status === "fulfilled" ? [tail.value] : []));
  }

  /** Closes tails that have no waiting polls and have been unused for a while. */
  closeUnused(tails: ReadonlyArray<Tail<Context>>): void {
    for (const tail of tails)
      if (tail.waiters.size === 0 && performance.now() - tail.usedAt > unusedMs) {
        this.#tails.delete(tail.realmId);
        tail.close();
      }
  }

  /** Closes a tail with events that the log has lost, and ends its polls as if their queues were deleted. */
  drop(tail: Tail<Context>): void {
    this.#tails.delete(tail.realmId);
    tail.close();
    tail.endAll({ kind: "queueDeleted" });
  }

  #open(realmId: number): Promise<Tail<Context>> {
    const opening = Tail.open(realmId, this.#parts);
    this.#tails.set(realmId, opening);
    opening.catch(() => this.#tails.delete(realmId));
    return opening;
  }
}
