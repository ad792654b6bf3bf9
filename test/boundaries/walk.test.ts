import { allOperations } from "@carillon/contract";
import { expect } from "chai";

import { unwalked } from "../e2e/support/walk/steps.ts";

describe("the walk of snapshots and events", () => {
  it("takes in every operation that tells clients something", () => {
    expect(unwalked(), "test/e2e/support/walk").to.deep.equal([]);
  });

  it("would not overlook a new one", () => {
    const [first] = allOperations;
    if (!first) throw new Error("there are no operations");
    expect(unwalked([...allOperations, { ...first, id: "ring-bells" }])).to.deep.equal([
      "ring-bells has no step",
    ]);
    expect(unwalked([])).to.include("register is called quiet");
  });
});
