import { expect } from "chai";
import { PlaceInList } from "./place-in-list.ts";

describe("The place in a list of messages", () => {
  const ids = [10, 20, 30, 40, 50];
  function after(first: number | undefined, changed: readonly number[]): boolean {
    const place = new PlaceInList();
    place.isKeptFromEnd(ids);
    place.first = first;
    return place.isKeptFromEnd(changed);
  }

  it("is kept from the end if rows are added or removed above the first visible one", () => {
    expect(after(30, [1, 2, ...ids])).to.equal(true);
    expect(after(30, [10, 15, 20, 30, 40, 50])).to.equal(true);
    expect(after(30, [20, 30, 40, 50])).to.equal(true);
  });

  it("is kept from the start otherwise", () => {
    expect(after(30, [...ids, 60])).to.equal(false);
    expect(after(30, [10, 20, 30, 35, 40, 50])).to.equal(false);
    expect(after(30, [...ids])).to.equal(false);
    expect(after(undefined, [1, ...ids])).to.equal(false);
    expect(after(30, [10, 20, 40, 50])).to.equal(false);
  });
});
