import { expect } from "chai";
import { entryOf, search } from "./completion-search.ts";
import { type CompletionToken, tokenBefore } from "./completion-token.ts";

describe("completion of the browser client", () => {
  const cases: ReadonlyArray<readonly [text: string, CompletionToken | undefined]> = [
    ["@", { kind: "mention", start: 0, typed: "", isSilent: false }],
    ["hi @ada lo", { kind: "mention", start: 3, typed: "ada lo", isSilent: false }],
    ["hi @_**Ada", { kind: "mention", start: 3, typed: "Ada", isSilent: true }],
    ["(@*back", { kind: "mention", start: 1, typed: "back", isSilent: false }],
    ["a\n@b", { kind: "mention", start: 2, typed: "b", isSilent: false }],
    ["see #gen", { kind: "channel", start: 4, typed: "gen" }],
    ["see #**gen", { kind: "channel", start: 4, typed: "gen" }],
    ["#**general>lun", { kind: "topic", start: 0, channel: "general", typed: "lun" }],
    ["#**general>", { kind: "topic", start: 0, channel: "general", typed: "" }],
    [":smi", { kind: "emoji", start: 0, typed: "smi" }],
    ["ok :+1", { kind: "emoji", start: 3, typed: "+1" }],
    // Nothing to complete: addresses, headings, times, closed mentions.
    ["ada@example", undefined],
    ["# Title", undefined],
    ["12:30", undefined],
    [":s", undefined],
    ["@**Ada** hello", undefined],
    ["#**general** hello", undefined],
    ["@ada\nhello", undefined],
    ["a@ b", undefined],
  ];
  for (const [text, token] of cases)
    it(`of ${JSON.stringify(text)} is for ${token?.kind ?? "nothing"}`, () => {
      expect(tokenBefore(text, text.length)).to.deep.equal(token);
    });

  it("looks only in front of the caret", () => {
    expect(tokenBefore("@ad lovelace", 3)).to.deep.include({ typed: "ad" });
    expect(tokenBefore(`@${"a".repeat(100_000)}`, 100_001)).to.equal(undefined);
  });

  it("finds words that begin with what was typed, without accents and case", () => {
    const names = ["Zoë Ada", "Ada Lovelace", "Badam", "Áda Byron", "Bot Ada"];
    const entries = names.map((name) => entryOf(name, name, name.startsWith("Bot") ? 1 : 0));
    expect(search(entries, "ADA")).to.deep.equal([
      "Áda Byron",
      "Ada Lovelace",
      "Zoë Ada",
      "Bot Ada",
    ]);
    expect(search(entries, "ada l")).to.deep.equal(["Ada Lovelace"]);
    expect(search(entries, "zoe")).to.deep.equal(["Zoë Ada"]);
    expect(search(entries, "xx")).to.deep.equal([]);
    expect(search(entries, "", 2)).to.deep.equal(["Áda Byron", "Ada Lovelace"]);
  });

  it("keeps the best of 10,000 names", () => {
    const entries = Array.from({ length: 10_000 }, (_, n) =>
      entryOf(n, `Person ${n}`, n === 9_999 ? 0 : 1),
    );
    expect(search(entries, "pers", 3)).to.deep.equal([9_999, 0, 1]);
  });
});
