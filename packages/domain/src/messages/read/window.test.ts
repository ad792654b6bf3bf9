import { expect } from "chai";

import { maxAnchor } from "./request.ts";
import { foundIn, sidesOf, type Window } from "./window.ts";

/** Returns what the database would find among `all` for the sides of the window. */
function look(window: Window, all: readonly number[]) {
  const ids = sidesOf(window).flatMap(({ compare, bound, limit }) => {
    if (compare === "<") return all.filter((id) => id < bound).slice(-limit);
    return all.filter((id) => (compare === ">" ? id > bound : id >= bound)).slice(0, limit);
  });
  return foundIn(window, ids);
}

describe("the window around an anchor", () => {
  const all = [10, 20, 30, 40, 50];
  const around = (anchor: number, numBefore: number, numAfter: number, includeAnchor = true) => {
    const found = look({ anchor, numBefore, numAfter, includeAnchor }, all);
    const { foundOldest, foundAnchor, foundNewest } = found;
    return [found.ids, { foundOldest, foundAnchor, foundNewest }] as const;
  };
  const flags = (foundOldest: boolean, foundAnchor: boolean, foundNewest: boolean) => ({
    foundOldest,
    foundAnchor,
    foundNewest,
  });

  it("contains the nearest messages on both sides, and the anchor's message if it matches", () => {
    expect(around(30, 1, 1)).to.deep.equal([[20, 30, 40], flags(false, true, false)]);
    expect(around(25, 1, 1)).to.deep.equal([[20, 30], flags(false, false, false)]);
    expect(around(25, 0, 0)).to.deep.equal([[], flags(false, false, false)]);
    expect(around(30, 0, 0)).to.deep.equal([[30], flags(false, true, false)]);
    expect(around(30, 0, 1, false)).to.deep.equal([[40], flags(false, false, false)]);
    expect(around(30, 1, 0, false)).to.deep.equal([[20], flags(false, false, false)]);
  });

  it("reports an end as found if fewer messages than requested exist, not if exactly as many do", () => {
    expect(around(30, 2, 2)).to.deep.equal([[10, 20, 30, 40, 50], flags(false, true, false)]);
    expect(around(30, 3, 3)).to.deep.equal([[10, 20, 30, 40, 50], flags(true, true, true)]);
    expect(around(25, 2, 3)).to.deep.equal([[10, 20, 30, 40, 50], flags(false, false, false)]);
    expect(around(5, 1, 0)).to.deep.equal([[], flags(true, false, false)]);
  });

  it("has nothing before the anchor oldest and nothing after the anchor newest", () => {
    expect(around(0, 3, 2)).to.deep.equal([[10, 20], flags(true, false, false)]);
    expect(around(0, 3, 0)).to.deep.equal([[], flags(true, false, false)]);
    expect(around(maxAnchor, 2, 3)).to.deep.equal([[40, 50], flags(false, false, true)]);
    expect(around(maxAnchor, 0, 3)).to.deep.equal([[], flags(false, false, true)]);
    expect(around(maxAnchor, 9, 0)).to.deep.equal([all, flags(true, false, true)]);
  });

  it("reaches both ends if nothing matches", () => {
    const window = { anchor: 30, numBefore: 1, numAfter: 1, includeAnchor: true };
    expect(look(window, [])).to.deep.include({ ids: [], ...flags(true, false, true) });
  });
});
