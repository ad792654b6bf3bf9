import { Tail, type TailParts } from "./tail.ts";

/** An organization that nobody has polled for this long is forgotten, in milliseconds. */
const forgetMs = 600_000;

/** The tails of a gateway: one for each organization that somebody polls. */
export class Tails<Context> {
  readonly #parts: TailParts<Context>;
  readonly #tails = new Map<number, Promise<Tail<Context>>>();

  constructor(parts: TailParts<Context>) {
    this.#parts = parts;
  }

  /** The organization's tail, where somebody has asked for it before. */
  known(realmId: number): Promise<Tail<Context>> | undefined {
    return this.#tails.get(realmId);
  }

  /** The organization's tail, which is not forgotten while it is used. */
  async of(realmId: number): Promise<Tail<Context>> {
    for (;;) {
      const tail = await (this.#tails.get(realmId) ?? this.#open(realmId));
      tail.usedAt = performance.now();
      if (!tail.closed) return tail;
    }
  }

  /** Those that could be opened. */
  async opened(): Promise<Array<Tail<Context>>> {
    const tails = await Promise.allSettled(this.#tails.values());
    return tails.flatMap((tail) => (tail.status === "fulfilled" ? [tail.value] : []));
  }

  /** Closes those of the tails that nobody waits for, and has not for a while. */
  forgetUnused(tails: ReadonlyArray<Tail<Context>>): void {
    for (const tail of tails)
      if (tail.waiters.size === 0 && performance.now() - tail.usedAt > forgetMs) {
        this.#tails.delete(tail.realmId);
        tail.close();
      }
  }

  #open(realmId: number): Promise<Tail<Context>> {
    const opening = Tail.open(realmId, this.#parts);
    this.#tails.set(realmId, opening);
    opening.catch(() => this.#tails.delete(realmId));
    return opening;
  }
}
