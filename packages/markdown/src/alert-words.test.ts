import { expect } from "chai";
import { AlertWords } from "./alert-words.ts";
import { countSteps } from "./test-support/counted-steps.ts";

/** The words that a text contains. */
function found(text: string, ...words: string[]): string[] {
  const all = new AlertWords();
  for (const [owner, word] of words.entries()) all.replace(owner, [word]);
  return [...all.ownersIn(text)].map((owner) => words[owner] ?? "").toSorted();
}

describe("Alert words", () => {
  it("match in any case, as whole words and phrases", () => {
    expect(found("The Deploy is done", "deploy", "done", "the", "dep")).to.deep.equal([
      "deploy",
      "done",
      "the",
    ]);
    expect(found("on fire, on Call!", "ON call", "fire", "on")).to.deep.equal([
      "ON call",
      "fire",
      "on",
    ]);
    expect(found("a phrase  of two", "phrase of", "Phrase  OF")).to.deep.equal(["Phrase  OF"]);
  });

  it("are lower-cased by Unicode's rules", () => {
    expect(found("ÄRGER über", "ärger", "Über")).to.deep.equal(["ärger", "Über"].toSorted());
    expect(found("İSTANBUL istanbul", "İstanbul")).to.deep.equal(["İstanbul"]);
    expect(found("istanbul", "İstanbul")).to.deep.equal([]);
    expect(found("ΟΔΟΣ.A and οδος", "ΟΔΟΣ")).to.deep.equal(["ΟΔΟΣ"]);
    expect(found("ΟΔΟΣ.A", "οδος", "οδοσ")).to.deep.equal(["οδος", "οδοσ"].toSorted());
    expect(found("ПРИВЕТ", "привет")).to.deep.equal(["привет"]);
    expect(found("STRASSE", "straße")).to.deep.equal([]);
  });

  it("match next to punctuation and markup", () => {
    for (const text of [
      "(deploy)",
      "**deploy**",
      "`deploy`",
      '"deploy"',
      "deploy:",
      "a\ndeploy",
      "…deploy?",
      "\u00a0deploy\u3000",
      "|deploy|",
      "„deploy“",
      "deploy。",
    ])
      expect(found(text, "deploy"), text).to.deep.equal(["deploy"]);
  });

  it("do not match inside longer words or URLs", () => {
    for (const text of [
      "redeploy",
      "deployed",
      "deploy-bot",
      "https://x.org/?q=deploy",
      "https://x.org/(deploy)",
      "deploy.example.com",
      "deploy@example.com",
      "a/deploy",
      "deploy_",
      "deploy\u0301",
      "deploy🎉",
    ])
      expect(found(text, "deploy"), text).to.deep.equal([]);
    expect(found("https://x.org/deploy and deploy", "deploy")).to.deep.equal(["deploy"]);
    expect(found("deploy https://x.org/deploy", "deploy")).to.deep.equal(["deploy"]);
    expect(found("see x.org now", "see x", "org now", "x.org", "see")).to.deep.equal(["see"]);
  });

  it("may consist of any text", () => {
    expect(found("we use c++ here", "c++", "use c++ here")).to.deep.equal(["c++", "use c++ here"]);
    for (const word of [
      ".*",
      "[a",
      "(",
      "a|b",
      "\\d+",
      "$&",
      "^x$",
      "😀",
      "👨‍👩‍👧",
      "e\u0301",
      "🇩🇪",
      "__proto__",
      "!",
      "...",
    ])
      for (const text of [word, `x ${word} y`, `(${word})`])
        expect(found(text, word), `${word} in ${text}`).to.deep.equal([word]);
    expect(found("anything (at all)", ".*", "\\w+", "a|b")).to.deep.equal([]);
    expect(found("😀😀", "😀")).to.deep.equal([]);
    expect(found("x!", "!")).to.deep.equal([]);
    expect(found("x !", "!")).to.deep.equal(["!"]);
    expect(found("a!b", "a!")).to.deep.equal([]);
    expect(found("a!!", "a!", "a!!", "!")).to.deep.equal(["!", "a!", "a!!"]);
    expect(found("x", "", " ")).to.deep.equal([]);
    expect(found("", "x")).to.deep.equal([]);
  });

  it("belong to one person each, and can be added and removed", () => {
    const words = new AlertWords();
    const owners = (text: string) => [...words.ownersIn(text)].toSorted((a, b) => a - b);
    words.replace(1, ["one", "one two", "three"]);
    words.replace(2, ["One Two", "four"]);
    expect(owners("one two")).to.deep.equal([1, 2]);
    expect(owners("four")).to.deep.equal([2]);
    expect(words.size).to.equal(5);
    words.replace(1, ["four"]);
    expect(owners("one two three")).to.deep.equal([2]);
    expect(owners("four")).to.deep.equal([1, 2]);
    words.replace(2, []);
    words.replace(3, []);
    expect(owners("one two four")).to.deep.equal([1]);
    words.replace(1, ["one two"]);
    expect([owners("one"), owners("one two three"), words.size]).to.deep.equal([[], [1], 1]);
  });

  it("take no more steps for ten thousand words", () => {
    const text = `${"lorem ipsum, dolor sit amet (consectetur)! ".repeat(200)} w77`;
    const steps = (count: number) => {
      const words = new AlertWords();
      for (let owner = 0; owner < count; owner++)
        words.replace(owner, [`w${owner}`, `lorem w${owner}`]);
      let owners = new Set<number>();
      const taken = countSteps(() => (owners = words.ownersIn(text)));
      expect([...owners]).to.deep.equal([77]);
      return taken;
    };
    expect(steps(10_000)).to.be.at.most(2 * steps(100));
  });

  it("take steps in proportion to the text's length, whatever it repeats", () => {
    const words = new AlertWords();
    for (const [owner, sign] of ["!", "a ", ". "].entries())
      words.replace(
        owner,
        Array.from({ length: 50 }, (_, n) => sign.repeat(n + 1)),
      );
    for (const sign of ["!", "a ", ". ", "a! "]) {
      const steps = (length: number) =>
        countSteps(() => words.ownersIn(sign.repeat(length / sign.length)));
      expect(steps(10_000), sign).to.be.at.most(3 * steps(5_000) + 20_000);
    }
  });
});
