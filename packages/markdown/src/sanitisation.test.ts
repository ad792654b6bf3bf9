import { sequence, slowFragments } from "@carillon/testkit";
import { expect } from "chai";
import { compose } from "./test-support/hostile-fragments.ts";
import { findFault } from "./html-check.test.ts";
import { emptyLookups } from "./lookups.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { RenderLimitError } from "./rendering.ts";
import { html, lookups } from "./test-support/sample-organization.ts";

function check(text: string): void {
  for (const organization of [lookups, emptyLookups]) {
    const { html: out } = renderMessage(
      parseMessage(text, { translateEmoticons: true }),
      organization,
    );
    const fault = findFault(out);
    if (fault !== undefined) expect.fail(`${fault}; text: ${JSON.stringify(text.slice(0, 300))}`);
  }
}

describe("Sanitisation", () => {
  it("shows HTML as text and keeps entities", () => {
    expect(html("<h1>x</h1>")).to.equal("<p>&lt;h1&gt;x&lt;/h1&gt;</p>");
    expect(html("&amp; &copy; &#60; &bogus; &")).to.equal(
      "<p>&amp; &copy; &#60; &amp;bogus; &amp;</p>",
    );
    expect(html("\"a\" 'b' a>b")).to.equal("<p>\"a\" 'b' a&gt;b</p>");
  });

  it("detects faults with its own check", () => {
    for (const bad of [
      "<b>x</b>",
      "<p>",
      "<p></em>",
      '<p onclick="x"></p>',
      '<a href="javascript:x">a</a>',
      "a<b",
      "a>b",
      "a & b",
      '<span class="x"></span>',
    ]) {
      expect(findFault(bad), bad).to.be.a("string");
    }
  });

  it("emits known elements, attributes and URLs only, for random texts", () => {
    const random = sequence(20240307);
    for (let i = 0; i < 20_000; i++) check(compose(random, 14));
    for (let i = 0; i < 200; i++) check(compose(random, 900));
  });

  it("emits allowed KaTeX output only, for random TeX", () => {
    const pieces = [
      "x",
      "^",
      "_",
      "{",
      "}",
      "\\frac",
      "\\href{javascript:x}{y}",
      "\\htmlClass{a}{b}",
      "\\url{x}",
    ];
    pieces.push(
      "\\text{<b>}",
      "\\unicode{60}",
      '\\color{red" onload=x}',
      "\\rule{1em}{1em}",
      "\\def\\a{\\a\\a}",
      "\\a",
    );
    pieces.push(
      "\\includegraphics{x}",
      "&",
      "<",
      '"',
      "'",
      "\\\\",
      "\\left(",
      "\\begin{matrix}",
      "\\htmlStyle{a:b}{c}",
    );
    const random = sequence(7);
    for (let i = 0; i < 1500; i++) {
      const tex = Array.from({ length: 6 }, () => pieces[Math.floor(random() * pieces.length)]);
      const out = html(`$$${tex.join("")}$$`);
      expect(out).not.to.match(
        /<(?!\/?(?:p|span|math|semantics|m[a-z]+|annotation|svg|path|line)\b)/,
      );
      expect(out.replace(/"[^"]*"/g, '""')).not.to.match(/<[^>]* (?:on\w+|href|src|id)=/);
    }
  });

  it("renders texts designed to be slow", () => {
    for (const pattern of slowFragments) {
      const text = pattern.repeat(10_000 / pattern.length);
      // KaTeX's output is checked above.
      if (/\$\$x|\$\$\\|math/.test(pattern)) html(text);
      else check(text);
    }
    check(Array.from({ length: 140 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n"));
    check(Array.from({ length: 140 }, (_, depth) => `${">".repeat(depth)} a`).join("\n"));
    for (const tex of ["$", "$$a", "$$a$$ ", "$$\\frac{1}{2}$$ "])
      html(tex.repeat(10_000 / tex.length));
    html(`$$${"x^{".repeat(3000)}${"}".repeat(3000)}$$`);
    check(`${"[".repeat(5000)}${"a](/b)".repeat(800)}`);
  });

  it("keeps all text if containers nest too deeply", () => {
    for (const text of [">".repeat(200), "- ".repeat(100), "```quote\n".repeat(100)]) {
      expect(html(`${text} end`)).to.contain("end");
    }
  });

  it("refuses output longer than 100 times the longest message", () => {
    expect(() => html(":family_man_woman_girl_boy:".repeat(10_000))).to.throw(RenderLimitError);
  });
});
