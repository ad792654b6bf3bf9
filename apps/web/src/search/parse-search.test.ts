import { expect } from "chai";
import { parseSearch } from "./parse-search.ts";

describe("parseSearch", () => {
  it("separates conditions from the words to look for", () => {
    expect(parseSearch(' is:starred -has:link red "big apple" 10:30 ')).to.deep.equal([
      { operator: "is", operand: "starred" },
      { operator: "has", operand: "link", negated: true },
      { operator: "search", operand: 'red "big apple" 10:30' },
    ]);
    expect(parseSearch("  ")).to.deep.equal([]);
  });
});
