import { oneOf, sequence } from "@carillon/testkit";
import { expect } from "chai";
import { escapeCodeBlock } from "../escape.ts";
import { hostileFragments } from "../test-support/hostile-fragments.ts";
import { readHtml } from "../html-tree.test.ts";
import { html, render } from "../test-support/sample-organization.ts";
import { highlight, highlightableWords } from "./highlight.ts";
import { searchText } from "./search-text.ts";

const opening = '<span class="highlight">';

/** The HTML of a text with each of the words highlighted. */
const shown = (text: string, ...words: string[]) =>
  highlight(html(text), (word) => words.includes(word.toLowerCase()));
const span = (text: string) => `${opening}${text}</span>`;

describe("Search words", () => {
  const words = (text: string) => searchText(html(text));

  it("are taken from the text between tags, without punctuation", () => {
    expect(words("**un**happy, *so*! and/or `a.b_c` “quoted”… 10:30 — x@y.z")).to.equal(
      "un happy so and or a b c quoted 10 30 x y z",
    );
    expect(words('rock & roll <b> &amp; "x"\n```\n\'y\' & "z"\n```')).to.equal("rock roll b x y z");
    expect(words("[here](https://example.com/path) 😀 :tada:")).to.equal("here grinning tada");
    expect(words("@**Ada Lovelace** #**name** ||x||")).to.equal("Ada Lovelace name x");
    expect(words("... !?")).to.equal("");
  });

  it("are found after an attribute that ends with a backslash", () => {
    const text = "```\\\nsecret\n```\n```\\\nsecond\n```";
    expect(html(text)).to.include('="\\"');
    expect(words(text)).to.equal("secret second");
  });

  it("are the same in every Unicode composition, with and without invisible characters", () => {
    expect(words("cafe\u0301 caf\u00e9")).to.equal("caf\u00e9 caf\u00e9");
    expect(words("so\u00adup soup\u200f s\u200bo\u200dup \u2066soup\u2069")).to.equal(
      "soup soup soup soup",
    );
    expect(searchText("1\ufe0f\u20e3 soup\ufe0f\u00ad")).to.equal("1 soup");
    expect(words("हिन्दी שלום Straße")).to.equal("हिन्दी שלום Straße");
  });

  it("are the same in ASCII text, which has its own code path, and next to other text", () => {
    const random = sequence(7);
    const pieces = [
      ..."aZ09_ <>&;#'\"\n-.".split(""),
      "&amp;",
      "&#39;",
      "<p>",
      '<a href="x y">',
      "</a>",
      "soup",
    ];
    for (let n = 0; n < 500; n++) {
      const text = Array.from({ length: 12 }, () => oneOf(random, pieces)).join("");
      expect(searchText(`${text} ü`), JSON.stringify(text)).to.equal(
        `${searchText(text)} ü`.trim(),
      );
    }
  });

  it("are single characters in scripts without spaces between words", () => {
    expect(words("世界hello世、コーヒー")).to.equal("世 界 hello 世 コ ー ヒ ー");
  });
});

describe("Highlighting", () => {
  it("puts spans around words in text only", () => {
    expect(shown("Soup, **soup** soups", "soup")).to.equal(
      `<p>${span("Soup")}, <strong>${span("soup")}</strong> soups</p>`,
    );
    expect(shown("strong **strong** p", "strong", "p")).to.equal(
      `<p>${span("strong")} <strong>${span("strong")}</strong> ${span("p")}</p>`,
    );
    expect(shown("[soup](https://soup.test/soup)", "soup")).to.equal(
      `<p><a href="https://soup.test/soup">${span("soup")}</a></p>`,
    );
  });

  it("keeps entities intact", () => {
    expect(shown("amp & lt < quot\n```\n\"'x\n```", "amp", "lt", "quot", "39", "x")).to.match(
      /&amp; <span.*&lt; <span.*&quot;&#39;<span/s,
    );
    const title = escapeCodeBlock(`amp & "quot" lt<39'`);
    const all = highlight(title, () => true);
    expect(all).to.equal(
      `${span("amp")} &amp; &quot;${span("quot")}&quot; ${span("lt")}&lt;${span("39")}&#39;`,
    );
  });

  it("covers code, spoilers, emoji and mentions", () => {
    expect(shown("`soup` @**Ada Lovelace** :tada:", "soup", "lovelace", "tada")).to.equal(
      `<p><code>${span("soup")}</code> <span class="user-mention" data-user-id="5">@Ada ${span("Lovelace")}</span> ` +
        `<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:${span("tada")}:</span></p>`,
    );
    expect(shown("```spoiler soup\nsoup\n```", "soup").split(opening)).to.have.length(3);
    expect(shown("```\nsoup\n```", "soup")).to.include(`<code>${span("soup")}`);
    const token = `<code><span class="n">${span("soup")}</span>`;
    expect(shown("```py\nsoup\n```", "soup")).to.include(token);
  });

  it("skips formulas and covers the text after them", () => {
    const text = "x $$x + \\text{soup}$$ x soup";
    const formula = html("$$x + \\text{soup}$$").slice(3, -4);
    expect(shown(text, "x", "soup", "text")).to.equal(
      `<p>${span("x")} ${formula} ${span("x")} ${span("soup")}</p>`,
    );
    const display = shown("```math\nx\n```\nx", "x");
    expect(display.split(opening)).to.have.length(2);
    expect(display).to.include(`<p>${span("x")}</p>`);
  });

  it("keeps HTML without a match unchanged", () => {
    expect(shown("soup", "salad")).to.equal(html("soup"));
  });
});

describe("Highlighting of random texts", () => {
  const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 11);
  const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 200);
  const pieces = [
    ...hostileFragments,
    ..."soup|Soup |and/or|span|highlight|katex|$$x^2$$|amp|quot;|lt|:tada:|世界|e\u0301|\u00ad|\u200f|\\|`a`".split(
      "|",
    ),
    "```math\n\\frac{a}{b}\n```\n",
    "```spoiler soup\nsoup\n```\n",
    "```\\\nsoup\n```\n",
    "@**Ada Lovelace**",
    "@**Grace <Hopper>**",
  ];

  it("restores the HTML without the spans, which are in text only", () => {
    const random = sequence(seed);
    for (let n = 0; n < cases; n++) {
      const length = 1 + Math.floor(random() * 20);
      const text = Array.from({ length }, () => oneOf(random, pieces)).join("");
      const plain = render(text).html;
      const chosen = new Set([...highlightableWords(plain)].filter(() => random() < 0.5));
      const marked = highlight(plain, (word) => chosen.has(word));
      const what = `seed ${seed}, text ${JSON.stringify(text)}`;

      // A highlight span contains one word and no tag, so the next closing tag is its own.
      const inside = new RegExp(`${opening}([^<>&]+)</span>`, "g");
      expect(marked.replace(inside, "$1"), what).to.equal(plain);
      const before = readHtml(plain);
      const after = readHtml(marked);
      expect(after.faults.filter((fault) => !fault.includes('class="highlight"'))).to.deep.equal(
        before.faults,
        what,
      );
      expect(after.texts.join(""), what).to.equal(before.texts.join(""));
      const spans = after.elements.length - before.elements.length;
      expect(spans, what).to.equal(marked.split(opening).length - plain.split(opening).length);
      if (chosen.size > 0) expect(spans, what).to.be.at.least(chosen.size);
    }
  });
});
