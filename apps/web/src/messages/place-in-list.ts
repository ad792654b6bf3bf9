/** Ids of the rows of a list, in order. */
type Ids = readonly number[];

/**
 * Remembers the first visible row of a list of messages, to tell at which end rows were added or removed.
 */
export class PlaceInList {
  /** The first visible message. */
  first: number | undefined;
  #ids: Ids = [];

  /** Returns whether the first visible row has kept its distance from the end alone: then it moves with the end. */
  isKeptFromEnd(ids: Ids): boolean {
    const before = this.#ids;
    this.#ids = ids;
    if (this.first === undefined || before === ids) return false;
    const [was, is] = [before.indexOf(this.first), ids.indexOf(this.first)];
    return was !== is && was >= 0 && is >= 0 && before.length - was === ids.length - is;
  }
}
