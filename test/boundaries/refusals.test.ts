import { expect } from "chai";
import { readFiles } from "./source-files.ts";

/** A status, a code, or both, of a refused request, compared without the helpers. */
const byHand =
  /\bstatus\)\s*\.(?:to\.)?equal\(\s*4\d\d\b|\[(?:\w+\.)?status, (?:\w+\.)*body\.code\]|\bbody\.code(?:, [^)]*)?\)\s*\.(?:to\.)?equal\(/;

// docs/development/tests.md: refused() compares the whole database; refusedWith() checks a request while other work
// runs.
describe("the tests of operations", () => {
  it("check refusals with testkit's helpers", async () => {
    const files = await readFiles(
      ["apps/gateway/src/operations", "test/e2e", "test/faults"],
      /\.test\.ts$/,
    );
    expect(files).to.have.length.above(100);
    const found = files.filter(({ text }) => byHand.test(text)).map(({ path }) => path);
    expect(found.toSorted()).to.deep.equal([]);
  });

  for (const text of [
    "expect(status).to.equal(400);",
    "expect((await ask(bot)).status).to.equal(\n  404,\n);",
    'expect([status, body.code], "x").to.deep.equal([400, "BAD_REQUEST"]);',
    "expect([answer.status, answer.body.code]).to.deep.equal(bad);",
    'expect(answer.body.code, answer.text).to.equal("BAD_REQUEST");',
  ])
    it(`are reported if they check one themselves: ${text.replace(/\s+/g, " ")}`, () =>
      expect(text).to.match(byHand));
});
