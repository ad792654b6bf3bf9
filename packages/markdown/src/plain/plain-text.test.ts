import { codePointLength } from "@carillon/kit";
import { expect } from "chai";

import { countSteps } from "../test-support/counted-steps.ts";
import { html } from "../test-support/sample-organization.ts";
import { plainText } from "./plain-text.ts";

const said = (text: string, most = 200): string => plainText(html(text), most);

describe("Plain text of HTML", () => {
  const cases: Readonly<Record<string, readonly [text: string, plain: string]>> = {
    "has no formatting": ["**b** *i* ~~s~~ `c` [here](https://example.com)", "b i s c here"],
    "contains each line and block on its own line": [
      "one\ntwo\n\nthree\n# four\n---\nfive",
      "one\ntwo\nthree\nfour\nfive",
    ],
    "contains the characters that HTML escapes": [`<b> & "x" 'y' &lt;`, `<b> & "x" 'y' <`],
    "contains the names of mentions": [
      "@**Ada Lovelace** @_**Ada Lovelace** @**all** @**topic** @*backend*",
      "@Ada Lovelace Ada Lovelace @all @topic @backend",
    ],
    "contains the names of channels, topics and messages": [
      "#**name** #**name>topic** #**name>topic@214**",
      "#name #name > topic #name > topic @ 💬",
    ],
    "has emoji as characters": [":tada: 👍 :flag_de: 🇩🇪", "🎉 👍 :flag_de: 🇩🇪"],
    "has names of an organization's own emoji": [":zulip: x", ":zulip: x"],
    "marks what is quoted": ["> a\n> b\n>> c\n\nd", "> a\n> b\n> > c\nd"],
    "marks each line of a quoted block": ["```quote\na\n\n* b\n```\nc", "> a\n> • b\nc"],
    "contains a spoiler's header only": [
      "```spoiler The **end**\nHe > was\n\n> dead\n```\nafter",
      "The end (…)\nafter",
    ],
    "marks a spoiler without a header": ["```spoiler\nx\n```\nafter", "(…)\nafter"],
    "numbers items": ["3. a\n4. b\n   * c\n5. d", "3. a\n4. b\n• c\n5. d"],
    "keeps code as it is": ["```py\nif x:\n    y < 1\n\n  z\n```\nw", "if x:\n    y < 1\n  z\nw"],
    "puts cells into lines": ["|a|b|\n|-|-|\n|c|d|", "a | b\nc | d"],
    "has the source of a formula": ["$$x^2 < 1$$ y\n```math\nz\n```", "x^2 < 1 y\nz"],
    "contains a time as typed": ["<time:2024-03-07T15:00:00Z> x", "2024-03-07T15:00:00Z x"],
    "is empty for an empty text": ["", ""],
  };
  for (const [name, [text, plain]] of Object.entries(cases))
    it(name, () => {
      expect(said(text)).to.equal(plain);
    });

  it("is truncated between code points, and then ends with …", () => {
    expect(said("👍".repeat(5), 5)).to.equal("👍".repeat(5));
    expect(said("👍".repeat(6), 5)).to.equal(`${"👍".repeat(5)}…`);
    expect(said("a".repeat(200))).to.equal("a".repeat(200));
    expect(said("a".repeat(201))).to.equal(`${"a".repeat(200)}…`);
    expect(said(`${"a".repeat(199)}\n\nb`)).to.equal(`${"a".repeat(199)}\n…`);
  });

  it("accepts any HTML, in time proportional to its length", () => {
    const pieces = [
      ...'<|<<|&|&&|&#|&#9999999;|&amp|<p|</|<>|<a href=">|<!--|> '.split("|"),
      "<blockquote>",
      "</blockquote>",
      '<span class="katex">',
      '<span class="emoji emoji-zzz">',
      '<span class="emoji emoji-ffffffff">',
      '<div class="spoiler-content">',
      '<ol start="x"><li>',
      "</ol>",
      "<pre>\n",
      '<img alt="&lt;">',
      "\u0000",
    ];
    for (const piece of pieces) {
      const [half, whole] = [piece.repeat(5_000), piece.repeat(10_000)];
      const steps = countSteps(() => plainText(half, 1_000_000));
      expect(
        countSteps(() => plainText(whole, 1_000_000)),
        piece,
      ).to.be.at.most(3 * steps + 1_000);
      expect(codePointLength(plainText(whole, 200)), piece).to.be.at.most(201);
    }
  });
});
