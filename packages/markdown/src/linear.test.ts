import { slowFragments } from "@carillon/testkit";
import { expect } from "chai";
import { AlertWords } from "./alert-words.ts";
import { countSteps } from "./test-support/counted-steps.ts";
import { escapeText } from "./escape.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { html, lookups } from "./test-support/sample-organization.ts";

const render = (text: string): void => {
  renderMessage(parseMessage(text, { translateEmoticons: true }), lookups);
};

const repeat = (fragment: string, length: number): string =>
  fragment.repeat(Math.ceil(length / fragment.length)).slice(0, length);

/** Texts of a given length that are as expensive to render as possible. */
const texts: readonly [string, (length: number) => string][] = [
  ...[...slowFragments, "$$a", "$$\\$"].map((fragment): [string, (length: number) => string] => [
    JSON.stringify(fragment),
    (length) => repeat(fragment, length),
  ]),
  ["unique names of emoji", (length) => unique((n) => `:e${n}:`, length)],
  ["unique names of people", (length) => unique((n) => `@**p${n}** `, length)],
  ["unique names of channels", (length) => unique((n) => `#**c${n}>t${n}** `, length)],
  ["parentheses opened, then closed", (length) => `http://a.b/${halves("(", ")", length)}`],
  ["brackets opened, then closed", (length) => halves("[", "](b)", length)],
  ["tildes, then backticks", (length) => halves("~", "`", length)],
  ["runs of backticks that grow", (length) => growing((n) => `${"`".repeat(n)} `, length)],
  ["runs of stars and tildes", (length) => growing((n) => `${"*~~".repeat(n % 3)}a`, length)],
  ["lines of a list, each deeper", (length) => growing((n) => `${"  ".repeat(n)}- a\n`, length)],
  ["lines of a quote, each deeper", (length) => growing((n) => `${">".repeat(n)} a\n`, length)],
];

function unique(piece: (n: number) => string, length: number): string {
  return growing((n) => piece(100_000 + n), length);
}

function growing(piece: (n: number) => string, length: number): string {
  let text = "";
  for (let n = 1; text.length < length; n++) text += piece(n);
  return text.slice(0, length);
}

function halves(first: string, second: string, length: number): string {
  return repeat(first, length / 2) + repeat(second, length / 2);
}

describe("The number of steps for a text", () => {
  render("**warm** :smile: 👍 http://a.org");

  for (const [name, text] of texts) {
    it(`grows linearly with its length: ${name}`, () => {
      const [half, whole] = [text(5_000), text(10_000)];
      const steps = countSteps(() => render(half));
      // A table or nesting may begin in the second half; a factor of three is still not quadratic.
      expect(countSteps(() => render(whole))).to.be.at.most(3 * steps + 20_000);
      expect(steps).to.be.at.most(300 * half.length);
    });
  }

  it("does not grow with the number of users who share a mentioned name", () => {
    const twins = Array.from({ length: 2_000 }, (_, id) => ({
      id,
      fullName: "t",
      isActive: false,
    }));
    const parsed = parseMessage("@**t** ".repeat(1_000));
    const known = { ...lookups, usersByName: new Map([["t", twins]]) };
    expect(countSteps(() => renderMessage(parsed, known))).to.be.at.most(200_000);
  });

  it("does not grow with the number of alert words in an address", () => {
    const words = new AlertWords();
    words.replace(1, ["x"]);
    const text = "x.org ".repeat(1_600);
    expect(countSteps(() => words.ownersIn(text))).to.be.at.most(100 * text.length);
    expect(words.ownersIn(text).size).to.equal(0);
  });

  it("is limited for TeX; the rest is shown as text", () => {
    const formulas = (text: string): number => html(text).split('class="katex"').length - 1;
    expect(formulas("$$x$$ ".repeat(1_600))).to.be.within(50, 100);
    expect(html("$$x$$ ".repeat(1_600))).to.contain('<span class="tex-error">$$x$$</span>');
    for (const tex of ["é", "x'", "&", "\\\\", "+", "x_1", "\\TeX ", "\\frac12"]) {
      for (const length of [100, 1_000, 9_000]) {
        const fence = `\`\`\`math\n\\begin{matrix}${repeat(tex, length)}\\end{matrix}\n\`\`\``;
        expect(html(fence).length, `${length} × ${tex}`).to.be.at.most(300_000);
      }
    }
  });

  it("excludes formulas that define commands, which could expand to millions of characters", () => {
    const copies = (piece: string, times: number): string => piece.repeat(times);
    for (const tex of [
      `\\def\\a{${copies("x", 400)}}${copies("\\a", 90)}`,
      `\\gdef\\a#1{${copies("#1", 300)}}\\a{${copies("x", 300)}}`,
      `\\edef\\a{x}\\a`,
      `\\newcommand{\\a}{${copies("x", 300)}}${copies("\\a", 90)}`,
      `\\renewcommand\\sum{x}\\sum`,
      `\\providecommand\\a{x}\\a`,
      `\\global\\let\\a=x\\a`,
      `\\\\\\def\\a{x}`,
    ]) {
      expect(html(`$$${tex}$$`), tex).to.equal(
        `<p><span class="tex-error">$$${escapeText(tex)}$$</span></p>`,
      );
      expect(html(`\`\`\`math\n${tex}\n\`\`\``), tex).to.contain('<span class="tex-error">');
    }
    for (const tex of ["\\text{let it be}", "x\\\\def", "\\deg x"])
      expect(html(`$$${tex}$$`), tex).to.contain('class="katex"');
  });
});
