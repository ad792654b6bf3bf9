import { expect } from "chai";

import { counted } from "./counted.ts";

describe("counted", () => {
  it("uses the singular for one only", () => {
    expect([0, 1, 2].map((count) => counted(count, "file"))).to.deep.equal([
      "0 files",
      "1 file",
      "2 files",
    ]);
    expect([0, 1, 2].map((count) => counted(count, "person", "people"))).to.deep.equal([
      "0 people",
      "1 person",
      "2 people",
    ]);
  });
});
