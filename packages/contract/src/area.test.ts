import { expect } from "chai";
import { allOperations } from "./all-operations.ts";
import { areaNames, areaOf } from "./area.ts";

describe("the areas of the API", () => {
  it("take in every operation: a new one has a line in area.ts", () => {
    expect(allOperations.length).to.be.greaterThan(50);
    const without = allOperations.filter((operation) => !areaNames.has(areaOf(operation)));
    expect(without.map(({ path }) => path)).to.deep.equal([]);
  });
});
