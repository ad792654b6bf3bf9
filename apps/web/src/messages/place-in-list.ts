/** Ids of the rows of a list, in order. */
type Ids = readonly number[];

export interface Drawing {
  readonly ids: Ids;
  /** Whether rows were added or removed at the start. The list then keeps its distance from the end. */
  readonly shift: boolean;
}

/** Keeps the first visible row of a list in its place while rows above and below it are added and removed. */
export class PlaceInList {
  /** The first visible message. */
  first: number | undefined;
  #drawn: Ids = [];

  /**
   * Returns the rows to draw next. The list keeps its distance from one end only. If rows change both above and below the
   * first visible row, the first drawing changes those above and returns other rows than `ids`; the caller draws again.
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
