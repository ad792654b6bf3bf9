import { expect } from "chai";
import fc from "fast-check";

import { admits, matches } from "./event-filter.ts";

describe("Filters of events", () => {
  it("match names with * and ?", () => {
    for (const [pattern, name] of [
      ["push", "push"],
      ["pull_*", "pull_request_review"],
      ["*", ""],
      ["*_re?uest", "pull_request"],
      ["**t", "a.t"],
    ] as const)
      expect(matches(pattern, name), pattern).to.equal(true);
    for (const [pattern, name] of [
      ["push", "pushed"],
      ["Push", "push"],
      ["?", ""],
      ["pull_?", "pull_request"],
      ["a.b", "axb"],
      ["[a]", "a"],
    ] as const)
      expect(matches(pattern, name), pattern).to.equal(false);
  });

  it("match as a regular expression does", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(
        short,
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }),
        (pattern, name) => {
          const expression = new RegExp(
            `^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`,
            "s",
          );
          expect(matches(pattern, name)).to.equal(expression.test(name));
        },
      ),
    );
  });

  it("send what is in the one list and not in the other", () => {
    expect(admits({ only: undefined, exclude: undefined }, "push")).to.equal(true);
    expect(admits({ only: ["push"], exclude: undefined }, "ping")).to.equal(false);
    expect(admits({ only: ["p*"], exclude: ["ping"] }, "ping")).to.equal(false);
    expect(admits({ only: ["p*"], exclude: ["ping"] }, "push")).to.equal(true);
    expect(admits({ only: [], exclude: undefined }, "push")).to.equal(false);
  });
});
