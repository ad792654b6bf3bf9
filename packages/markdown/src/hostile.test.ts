import { expect } from "chai";
import { attribute, readHtml } from "./html-tree.test.ts";
import { parseMessage } from "./parse-message.ts";
import { html, render } from "./test-support/sample-organization.ts";

const p = (inside: string): string => `<p>${inside}</p>`;
const count = (text: string, part: string): number => text.split(part).length - 1;

/** The HTML, which must parse without errors. */
function sound(text: string): string {
  const out = html(text);
  expect(readHtml(out).faults, text.slice(0, 100)).to.deep.equal([]);
  return out;
}

describe("Hostile texts", () => {
  describe("with 10,000 levels of nesting", () => {
    const nested: Record<string, readonly [text: string, element: string]> = {
      quotes: [">".repeat(9_996), "<blockquote>"],
      "quotes with spaces": ["> ".repeat(4_998), "<blockquote>"],
      "a quote a line": [
        Array.from({ length: 140 }, (_, n) => `${">".repeat(n)}a\n`).join(""),
        "<blockquote>",
      ],
      lists: ["- ".repeat(4_998), "<ul>"],
      numbers: ["1. ".repeat(3_332), "<ol>"],
      "quote fences": ["```quote\n".repeat(1_110), "<blockquote>"],
      spoilers: ["~~~spoiler a\n".repeat(768), '<div class="spoiler-block">'],
      "quotes in lists": ["> - ".repeat(2_499), "<blockquote>"],
    };
    for (const [name, [text, element]] of Object.entries(nested)) {
      it(`${name}: stop at a depth that clients can display, and keep all text`, () => {
        const out = sound(`${text} end`);
        expect(count(out, element)).to.be.within(1, 45);
        expect(out).to.contain("end");
      });
    }

    it("brackets, stars and braces become text or one element", () => {
      for (const sign of ["[", "(", "{", "*", "~~", "`", "<", "$$", "\\", "&", "#", "@", ":", "|"])
        expect(count(sound(`${sign.repeat(10_000 / sign.length)} end`), "end")).to.equal(1);
      expect(count(sound(`${"[".repeat(5_000)}a${"](/b)".repeat(1_000)}`), "<a ")).to.equal(1);
    });
  });

  it("with unclosed markup become text, or extend to the end", () => {
    for (const text of [
      "**a",
      "*a",
      "***a",
      "~~a",
      "`a",
      "``a`",
      "[a](/b",
      "[a]",
      "$$a",
      "#**name",
    ])
      expect(sound(text), text).to.equal(p(text));
    for (const text of ["@**Ada Lovelace", "@*backend", "@_**all*", ":smile", "![a](/b"])
      expect(sound(text), text).to.equal(p(text));
    expect(sound("<time:2024-03-07")).to.equal(p("&lt;time:2024-03-07"));
    expect(sound("&amp")).to.equal(p("&amp;amp"));
    expect(sound("|a|\n|-")).to.equal(
      "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>",
    );
    expect(sound("```quote\n~~~spoiler a\nb")).to.equal(
      '<blockquote>\n<div class="spoiler-block"><div class="spoiler-header">\n<p>a</p>\n</div>' +
        '<div class="spoiler-content" aria-hidden="true">\n<p>b</p>\n</div></div>\n</blockquote>',
    );
  });

  it("of control and direction characters stay text and hide no markup", () => {
    const signs = "\u0001\u0008\u001b\u007f\u0080\u009f\u200b\u200e\u202e\u2066\u2069\ufeff\uffff";
    expect(sound(`a${signs}b`)).to.equal(p(`a${signs}b`));
    expect(sound("<\u0000script>")).to.equal(p("&lt;\ufffdscript&gt;"));
    expect(sound("a\u0000b\ud800c\udc00d😀")).to.match(/^<p>a\ufffdb\ufffdc\ufffdd<span /);
    for (const sign of signs)
      for (const target of [`java${sign}script:alert(1)`, `${sign}javascript:alert(1)`])
        expect(sound(`[a](${target}) <${target}> ${target}`), target).not.to.contain("<a ");
    expect(sound("[a](/b\u202etxt.exe)")).to.equal(p('<a href="/b\u202etxt.exe">a</a>'));
  });

  it("with names that only look like others mention nobody", () => {
    for (const name of [
      "\u0410da Lovelace",
      "Ada\u00a0Lovelace",
      "Ada\u200b Lovelace",
      "Ada Lovelace\u202e",
      "\uff21da Lovelace",
      "A\u0301da Lovelace",
      " Ada Lovelace",
      "Ada  Lovelace",
    ]) {
      const rendered = render(`@**${name}** @_**${name}** @**${name}|5**`);
      expect(rendered.mentionedUserIds, name).to.deep.equal([]);
      expect(rendered.html, name).not.to.contain("user-mention");
    }
    for (const name of ["\u0430ll", "All", "all ", "t\u043epic", "everyone|5", "channel\u200b"]) {
      const { channelWildcard, topicWildcard } = render(`@**${name}**`);
      expect([channelWildcard, topicWildcard], name).to.deep.equal([false, false]);
    }
    expect(sound("#**n\u0430me** #**name\u200b>topic**")).not.to.contain("<a ");
  });

  it("with script URLs become no link in any form", () => {
    for (const target of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "javascript://x.org/%0aalert(1)",
      "data:text/html,<script>alert(1)</script>",
      "data:image/svg+xml;base64,PHN2Zz4=",
      "vbscript:msgbox(1)",
      "file:///etc/passwd",
      "blob:https://x.org/1",
      "java&Tab;script:alert(1)",
      "&#106;&#97;vascript:alert(1)",
      "%6aavascript:alert(1)",
      "feed:javascript:alert(1)",
      "view-source:https://x.org",
    ]) {
      const forms = `[a](${target}) [a](<${target}>) ![a](${target}) <${target}> [a][b] [${target}]() ${target}\n\n[b]: ${target}`;
      for (const element of readHtml(sound(forms)).elements) {
        const href = attribute(element, "href");
        expect(href, target).to.match(/^(?:https?:\/\/x\.org|$)/);
        expect(element.tagName, target).not.to.equal("img");
      }
    }
  });

  it("of 10,000 mentions name each person once with one look-up", () => {
    const many = "@**|5** ".repeat(800);
    expect(parseMessage(many).names.userIds).to.deep.equal([5]);
    expect(render(many).mentionedUserIds).to.deep.equal([5]);
    expect(count(sound(many), 'data-user-id="5"')).to.equal(800);
    const everybody = Array.from({ length: 5_000 }, (_, n) => `@**|${n + 1}** `).join("");
    expect(parseMessage(everybody).names.userIds).to.have.length(5_000);
    const { mentionedUserIds, html: out } = render(everybody);
    expect(mentionedUserIds).to.deep.equal([5, 6, 9]);
    expect(count(out, "<strong>")).to.equal(4_995);
  });

  it("of a table with 10,000 cells become a table, with more cells text", () => {
    const rows = (columns: number, lines: number): string =>
      `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${`${"|b".repeat(columns)}|\n`.repeat(lines)}`;
    expect(count(sound(rows(49, 198)), "<td>")).to.equal(49 * 198);
    expect(sound(rows(50, 199))).not.to.contain("<table");
    expect(count(sound(rows(2, 1_600)), "<td>")).to.equal(3_200);
  });
});
