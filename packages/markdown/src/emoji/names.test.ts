import { gemoji } from "gemoji";
import { expect } from "chai";

import { chatNames } from "./chat-names.ts";
import { codeToNames, emojiCode, emojiNames } from "./names.ts";

describe("Emoji names", () => {
  it("include those of the data and those of clients for the same emoji", () => {
    const known = new Set(gemoji.map(({ emoji }) => emojiCode(emoji)));
    for (const [code, names] of chatNames) {
      expect(known.has(code), code).to.equal(true);
      expect(names, code).not.to.deep.equal([]);
      for (const name of names) expect(name).to.match(/^[-+a-z0-9_]+$/);
    }
    expect([...codeToNames.keys()].toSorted()).to.deep.equal([...known].toSorted());
  });

  it("stand for one emoji each, and the first one is displayed", () => {
    for (const [code, names] of codeToNames)
      for (const name of names) expect(emojiNames.get(name), name).to.equal(code);
    for (const [name, code] of [
      ["smile", "1f642"],
      ["thumbs_up", "1f44d"],
      ["working_on_it", "1f6e0"],
      ["cat", "1f408"],
      ["ok", "1f44c"],
      ["accessible", "267f"],
      ["octopus", "1f419"],
    ] as const)
      expect(emojiNames.get(name), name).to.equal(code);
    expect(codeToNames.get("1f44d")?.[0]).to.equal("+1");
    expect(codeToNames.get("1f408")?.[0]).to.equal("cat");
  });

  it("occur once in the list of clients' names, except for one that two emoji share", () => {
    const all = [...chatNames.values()].flat();
    expect(all.filter((name, n) => all.indexOf(name) !== n)).to.deep.equal(["secret"]);
  });
});
