import { allOperations } from "@carillon/contract";
import { expect } from "chai";

import { stepsFor, walkSteps, wronglyQuiet } from "../e2e/support/walk/steps.ts";

describe("the walk of snapshots and events", () => {
  it("lists no operation as quiet that has a step or does not exist", () => {
    expect(wronglyQuiet()).to.deep.equal([]);
    expect(wronglyQuiet([])).to.include("register");
  });

  it("includes a new operation by its example", () => {
    const [first] = allOperations.filter(({ method }) => method !== "GET");
    if (!first) throw new Error("there are no operations");
    const added = { ...first, id: "ring-bells" };
    const ids = stepsFor([...allOperations, added]).map(({ operation }) => operation.id);
    expect(ids).to.include("ring-bells");
    expect(ids).to.have.lengthOf(walkSteps.length + 1);
  });
});
