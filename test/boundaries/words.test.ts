import { expect } from "chai";
import { readFiles } from "./source-files.ts";

/** Words that had a second meaning, where they had it, and what to say instead. */
const inCode: ReadonlyArray<{ word: RegExp; in: RegExp; instead: string }> = [
  {
    word: /\b(onRing|rings?|rang|rung)\b/i,
    in: /^(packages\/(events|queue|jobs|db|testkit)|apps\/(gateway|worker))\/src\/(?!operations)/,
    instead: "a wake-up, the recent events, or: an alarm comes",
  },
  {
    word: /\bdeliver(y|ies)\b/i,
    in: /^packages\/(events|domain\/src\/(event-formats|register))\//,
    instead: "an outgoing event: a delivery is one of a scheduled message",
  },
  { word: /alarm[ -]?clock/i, in: /^(packages|apps|bench|test)\//, instead: "alarm publisher" },
];

/** What guides do not say: a relative clause as a subject, and pictures for what can be named. */
const inGuides: ReadonlyArray<{ word: RegExp; instead: string }> = [
  { word: /\bwhoever\b/i, instead: "the person, the client, the change that …" },
  { word: /(^|[.:;] |^- |\| )Who [a-z]+s\b(?!.*\?)/m, instead: "a new subscriber, a sender …" },
  { word: /\bdo not lose it\b/i, instead: "sent once, on time, or reported as failed" },
  { word: /\bas ever\b/, instead: "as usual" },
];

const found = (files: ReadonlyArray<{ path: string; text: string }>, word: RegExp) =>
  files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, at) => (word.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );

/** In comments too a subject is named: the account, the request, the transaction. */
const commented = /^\s*(\/\*\*|\*|\/\/).*\bwhoever\b/i;

describe("words", () => {
  it("have one meaning in code", async () => {
    const files = await readFiles(["packages", "apps", "bench", "test"], /\.ts$/);
    const others = files.filter(({ path }) => !path.startsWith("test/boundaries/"));
    for (const { word, in: where, instead } of inCode) {
      const places = others.filter(({ path }) => where.test(path));
      expect(places, String(where)).to.have.length.greaterThan(30);
      expect(found(places, word), `say instead: ${instead}`).to.deep.equal([]);
    }
  });

  it("are plain in comments of what runs, and on the pages", async () => {
    const code = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
    expect(found(code, commented), "say instead: the account, the request").to.deep.equal([]);
    const pages = await readFiles(["docs/protocol", "docs/decisions"], /\.md$/);
    expect(pages).to.have.length.greaterThan(20);
    expect(found(pages, /\bwhoever\b/i), "say instead: the account, the request").to.deep.equal([]);
  });

  it("are plain in guides", async () => {
    const files = await readFiles(["."], /\.md$/);
    const guides = files.filter(({ path }) => /^(docs\/)?[^/]+$/.test(path));
    expect(guides.map(({ path }) => path)).to.include.members(["README.md", "docs/operating.md"]);
    for (const { word, instead } of inGuides)
      expect(found(guides, word), `say instead: ${instead}`).to.deep.equal([]);
  });
});
