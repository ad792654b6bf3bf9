import { expect } from "chai";
import { readFiles } from "./source-files.ts";

describe("what is said once", () => {
  it("is which scheduled messages are pending: statements take the condition from packages/db", async () => {
    const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
    const spelled = sources.filter(({ text }) =>
      /NOT\s+(\w+\.)?delivered\b|NOT \$\{\w+\}\.delivered/.test(text),
    );
    expect(spelled.map(({ path }) => path)).to.deep.equal(["packages/db/src/pending.ts"]);
  });
});
