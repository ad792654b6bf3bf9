/** Ids of the rows of a list, in order. */
type Ids = readonly number[];

export interface Drawing {
  readonly ids: Ids;
  /** Whether rows were added or removed at the start, so that the list keeps its place from the end. */
  readonly shift: boolean;
}

/** Keeps the first visible row of a list of messages where it is, whatever is added or removed above and below it. */
export class PlaceInList {
  /** The first visible message. */
  first: number | undefined;
  #drawn: Ids = [];

  /**
   * Returns the rows to draw next. A list keeps its place from one of its ends, so that changes on both sides of the first
   * visible row take two drawings: these are the rows of the first one if they are not the given ones.
   */
  draw(ids: Ids): Drawing {
    const before = this.#drawn;
    const drawing = this.#next(before, ids);
    this.#drawn = drawing.ids;
    return drawing;
  }

  #next(before: Ids, ids: Ids): Drawing {
    if (this.first === undefined || before === ids) return { ids, shift: false };
    const [was, is] = [before.indexOf(this.first), ids.indexOf(this.first)];
    if (was === is || was < 0 || is < 0) return { ids, shift: false };
    if (before.length - was === ids.length - is) return { ids, shift: true };
    return { ids: [...ids.slice(0, is), ...before.slice(was)], shift: true };
  }
}
