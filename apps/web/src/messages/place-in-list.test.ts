import { expect } from "chai";
import { type Drawing, PlaceInList } from "./place-in-list.ts";

describe("The place in a list of messages", () => {
  const ids = [10, 20, 30, 40, 50];
  /** The drawings after a change, while the first visible row is given. */
  function drawings(first: number | undefined, changed: readonly number[]): Drawing[] {
    const place = new PlaceInList();
    place.draw(ids);
    place.first = first;
    const one = place.draw(changed);
    return one.ids === changed ? [one] : [one, place.draw(changed)];
  }

  it("is kept from the end if rows are added or removed above the first visible one", () => {
    for (const changed of [
      [1, 2, ...ids],
      [10, 15, 20, 30, 40, 50],
      [20, 30, 40, 50],
    ])
      expect(drawings(30, changed)).to.deep.equal([{ ids: changed, shift: true }]);
  });

  it("is kept from the start if they are added or removed below it, or if it is gone", () => {
    for (const changed of [[...ids, 60], [10, 20, 30, 35, 40, 50], [...ids], [10, 20, 40, 50]])
      expect(drawings(30, changed)).to.deep.equal([{ ids: changed, shift: false }]);
    const changed = [1, ...ids];
    expect(drawings(undefined, changed)).to.deep.equal([{ ids: changed, shift: false }]);
  });

  it("is kept in two steps if rows change on both sides", () => {
    const changed = [10, 15, 20, 30, 35, 40, 50];
    expect(drawings(30, changed)).to.deep.equal([
      { ids: [10, 15, 20, 30, 40, 50], shift: true },
      { ids: changed, shift: false },
    ]);
  });
});
