/** What waits in a {@link WaitingLine}. */
export interface Waiting {
  readonly accountId: number;
  /** UTF-16 units of the text that it brings along, about. */
  readonly weight: number;
}

/** Requests that wait, each account's in the order in which they came; the accounts take turns. */
export class WaitingLine<Item extends Waiting> {
  /** Whose turn it is comes first. */
  #accounts = new Map<number, Item[]>();
  #length = 0;
  #weight = 0;

  get length(): number {
    return this.#length;
  }

  /** The weight of all. */
  get weight(): number {
    return this.#weight;
  }

  /** At the end of its account's. */
  add(item: Item): void {
    const own = this.#accounts.get(item.accountId);
    if (own) own.push(item);
    else this.#accounts.set(item.accountId, [item]);
    this.#count(item, 1);
  }

  /** Before all others, in the order given. */
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

  /** Takes it out; false where it does not wait. */
  remove(item: Item): boolean {
    const own = this.#accounts.get(item.accountId);
    const place = own?.indexOf(item) ?? -1;
    if (!own || place < 0) return false;
    own.splice(place, 1);
    if (own.length === 0) this.#accounts.delete(item.accountId);
    this.#count(item, -1);
    return true;
  }

  /** Takes the next ones out, so many at most, and of so much weight unless the first has more: one of each account in turn. */
  take(most: number, mostWeight: number): Item[] {
    const taken: Item[] = [];
    let weight = 0;
    while (taken.length < most) {
      const [turn] = this.#accounts;
      const next = turn?.[1][0];
      if (!turn || !next || (taken.length > 0 && weight + next.weight > mostWeight)) break;
      const [accountId, own] = turn;
      this.#accounts.delete(accountId);
      own.shift();
      if (own.length > 0) this.#accounts.set(accountId, own);
      this.#count(next, -1);
      taken.push(next);
      weight += next.weight;
    }
    return taken;
  }

  /** Of the account with most of it, that which came last; `share` says how much of it one has. */
  lastOfLargest(share: (item: Item) => number): Item | undefined {
    let largest: Item | undefined;
    let most = 0;
    for (const own of this.#accounts.values()) {
      const sum = own.reduce((total, item) => total + share(item), 0);
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
