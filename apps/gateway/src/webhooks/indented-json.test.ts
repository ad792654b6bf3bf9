import { expect } from "chai";
import fc from "fast-check";

import { indentedJson } from "./indented-json.ts";

describe("indentedJson", () => {
  it("writes what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentedJson(value)).to.equal(JSON.stringify(value, null, 2));
      }),
    );
  });

  it("ends when the text is longer than a message", () => {
    const row = Array.from({ length: 1_000 }, (_, n) => ({ n, text: "x".repeat(50) }));
    for (const value of [Array(1_000).fill(row), { rows: row, more: "y".repeat(1_000_000) }]) {
      const whole = JSON.stringify(value, null, 2);
      const written = indentedJson(value);
      expect(written).to.have.length.below(100_000);
      expect(written.slice(0, 20_000)).to.equal(whole.slice(0, 20_000));
    }
  });
});
