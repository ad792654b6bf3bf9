/** What waits in a {@link FairQueue}. */
export interface Waiting {
  readonly accountId: number;
  /** Approximate UTF-16 units of its text. */
  readonly weight: number;
}

/** A queue that is first in, first out within an account, and round-robin between accounts. */
export class FairQueue<Item extends Waiting> {
  /** In round-robin order: the next account comes first. */
  #accounts = new Map<number, Item[]>();
  #length = 0;
  #weight = 0;

  get length(): number {
    return this.#length;
  }

  /** The weight of all items. */
  get weight(): number {
    return this.#weight;
  }

  /** Adds the item behind the others of its account. */
  add(item: Item): void {
    const own = this.#accounts.get(item.accountId);
    if (own) own.push(item);
    else this.#accounts.set(item.accountId, [item]);
    this.#count(item, 1);
  }

  /** Adds items before all others, in the order given. */
  putBack(items: readonly Item[]): void {
    const first = new Map<number, Item[]>();
    for (const item of items) {
      const own = first.get(item.accountId);
      if (own) own.push(item);
      else first.set(item.accountId, [item]);
      this.#count(item, 1);
    }
    for (const [accountId, own] of this.#accounts)
      first.set(accountId, [...(first.get(accountId) ?? []), ...own]);
    this.#accounts = first;
  }

  /** Removes the item; false if it does not wait. */
  remove(item: Item): boolean {
    const own = this.#accounts.get(item.accountId);
    const place = own?.indexOf(item) ?? -1;
    if (!own || place < 0) return false;
    own.splice(place, 1);
    if (own.length === 0) this.#accounts.delete(item.accountId);
    this.#count(item, -1);
    return true;
  }

  /** Removes the next items, one of each account in turn, within the limits; the first may be heavier than `maxWeight`. */
  take(most: number, maxWeight: number): Item[] {
    const taken: Item[] = [];
    let weight = 0;
    while (taken.length < most) {
      const [first] = this.#accounts;
      const next = first?.[1][0];
      if (!first || !next || (taken.length > 0 && weight + next.weight > maxWeight)) break;
      const [accountId, own] = first;
      this.#accounts.delete(accountId);
      own.shift();
      if (own.length > 0) this.#accounts.set(accountId, own);
      this.#count(next, -1);
      taken.push(next);
      weight += next.weight;
    }
    return taken;
  }

  /** Finds the account with the largest sum of `measure`, and returns its latest item. */
  lastOfLargest(measure: (item: Item) => number): Item | undefined {
    let largest: Item | undefined;
    let most = 0;
    for (const own of this.#accounts.values()) {
      const sum = own.reduce((total, item) => total + measure(item), 0);
      if (sum > most) {
        most = sum;
        largest = own.at(-1);
      }
    }
    return largest;
  }

  #count({ weight }: Item, by: 1 | -1): void {
    this.#length += by;
    this.#weight += by * weight;
  }
}
