import { expect } from "chai";
import { emptyLookups, type Lookups, parseMessage, renderMessage } from "@carillon/markdown";

import { writeMarkdown } from "../markup/write-markdown.ts";
import { parseMrkdwn } from "./mrkdwn.ts";
import type { SlackNames } from "./references.ts";

const ada = { id: 7, fullName: "Ada Lovelace" };
const names: SlackNames = {
  account: (userId) => (userId === "U1" ? ada : undefined),
  channel: (channelId) => (channelId === "C1" ? "engines" : undefined),
};

const markdown = (slack: string): string => writeMarkdown(parseMrkdwn(slack, names));

const user = { ...ada, isActive: true };
const lookups: Lookups = {
  ...emptyLookups,
  usersById: new Map([[7, user]]),
  usersByName: new Map([["ada lovelace", [user]]]),
  channelsByName: new Map([["engines", { id: 3, name: "engines" }]]),
};

const render = (slack: string) => renderMessage(parseMessage(markdown(slack)), lookups);

/** Returns what a reader sees, without invisible separators. */
function seen(html: string): string {
  return html
    .replaceAll(/<br>\n?/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("\u200b", "");
}

/** What Slack has → our Markdown. */
const cases: readonly (readonly [string, string])[] = [
  ["plain text, with: punctuation!", "plain text, with: punctuation!"],
  // Marks
  ["*bold*", "**bold**"],
  ["_italic_", "*italic*"],
  ["~struck~", "~~struck~~"],
  ["*_both_*", "***both***"],
  ["_*both* one_", "***both*** *one*"],
  ["*bold _both_*", "**bold *both***"],
  ["*_~all~_*", "**~~*all*~~**"],
  ["*a*_b_", "**a**&#8203;*b*"],
  ["a *b* c _d_ e", "a **b** c *d* e"],
  ["(*b*), *c*.", "(**b**), **c**."],
  ["*`code` in bold*", "**`code` in bold**"],
  ["a*b*c", "a&#42;b&#42;c"],
  ["snake_case_name", "snake_case_name"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["2*3*4", "2&#42;3&#42;4"],
  ["* not bold*", "* not bold&#42;"],
  ["*unclosed", "&#42;unclosed"],
  ["*two\nlines*", "&#42;two\nlines&#42;"],
  ["~5 to ~6", "~5 to ~6"],
  // Code
  ["`code *x*`", "`code *x*`"],
  ["`a &lt; b &amp;&amp; c`", "`a < b && c`"],
  ["`a``b`", "`a`&#8203;`b`"],
  ["a ` b", "a &#96; b"],
  ["```a\n  b```", "```\na\n  b\n```"],
  ["before ```x``` after", "before\n\n```\nx\n```\n\n after"],
  ["```<https://a.b/c|a.b/c> &lt;x&gt;```", "```\na.b/c <x>\n```"],
  ["```*a* <@U1|ada> :tada:```", "```\n*a* @ada :tada:\n```"],
  ["```unclosed", "&#96;&#96;&#96;unclosed"],
  // References
  ["<@U1> hello", "@_**Ada Lovelace|7** hello"],
  ["<@U1|ada>: hello", "@_**Ada Lovelace|7**: hello"],
  ["hello<@U1>", "hello @_**Ada Lovelace|7**"],
  ["*<@U1>*", "@_**Ada Lovelace|7**"],
  ["<@U9|bob>", "@bob"],
  ["<@U9>", "@U9"],
  ["<#C1|old-name>", "#**engines**"],
  ["<#C9|gone>", "#gone"],
  ["<!here> <!channel> <!everyone>", "**@here** @_**channel** @_**everyone**"],
  ["<!subteam^S1|@devs> <!subteam^S1>", "@devs @S1"],
  ["<!date^1392734382^{date}|Feb 18>", "<time:2014-02-18T14:39:42Z>"],
  ["<!date^99999999999999999^{date}|Feb 18>", "Feb 18"],
  // Links
  ["<https://example.com/x_y?a=b>", "https://example.com/x_y?a=b"],
  ["<https://example.com/?a=1&amp;b=2>", "https://example.com/?a=1&b=2"],
  ["<https://example.com|the site>", "[the site](https://example.com)"],
  ["<https://example.com/a>.", "[https://example.com/a](https://example.com/a)."],
  ["*<https://example.com|site>*", "**[site](https://example.com)**"],
  ["<mailto:a@b.example|a@b.example>", "a@b.example"],
  ["<mailto:a@b.example|mail>", "[mail](mailto:a@b.example)"],
  ["<tel:+4930123|call>", "[call](tel:+4930123)"],
  ["<https://x.y/(a)|l[a]b>", "[l&#91;a&#93;b](https://x.y/%28a%29)"],
  // Blocks
  ["&gt; quote\n&gt; more\nafter", "> quote\n> more\n\nafter"],
  ["&gt;&gt;&gt; all\nof it", "> all\n> of it"],
  ["• a\n• b\n    ◦ c", "* a\n* b\n  * c"],
  ["one\ntwo\n\nthree", "one\ntwo\n\nthree"],
  ["1. one\n2. two", "1. one\n2. two"],
  // Emoji
  [":smile: :+1::skin-tone-3:", ":big_smile: :+1:"],
  [":custom_one: 12:30:45", ":custom_one: 12:30:45"],
  ["*:tada: yes*", ":tada: **yes**"],
  // Escapes
  ["a &amp; b &lt; c &gt; d", "a & b < c > d"],
  ["&amp;amp; &amp;#42;", "&#38;amp; &#38;#42;"],
  ["# no heading", "&#35; no heading"],
  ["---", "&#45;--"],
  ["~~x~~", "&#126;&#126;x&#126;&#126;"],
  ["$$x$$ for $5", "&#36;&#36;x&#36;&#36; for $5"],
];

/** Texts that try to be what they are not, with what must be seen. */
const hostile: readonly string[] = [
  "@**all**",
  "@*all*",
  "@_*all*_",
  "@*everyone* and @ *channel*",
  "@**Ada Lovelace|7**",
  "@*_all_*",
  "_@_**all**",
  "#**engines**",
  "#*engines*",
  "[click](javascript:alert(1))",
  "[click](https://evil.example)",
  "![x](/user_uploads/1/x.png)",
  "~~~\n@**all**\n~~~",
  "```\n````\n@**all**```",
  "`` ` @**all**` ``",
  "````@**all**````",
  "***@**all*****",
  "&lt;time:2020-01-01T00:00:00Z&gt;",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&amp;lt;b&amp;gt;",
  "<https://x.example|](javascript:alert(1)) [y>",
  "<https://x.example|@**all**>",
  "<https://x.example|`>`",
  "<javascript:alert(1)|x>",
  "<@U9|@**all**>",
  "<!subteam^S1|@*all*>",
  "<#C9|*all*>",
  "$$\\frac{1}{2}$$",
  "# @**all**",
  "    indented @**all**",
  "<!unknown|@**all**>",
  ":::::",
  "<<<>>>",
  "*_~*_~*_~",
];

describe("Slack's format", () => {
  for (const [slack, expected] of cases)
    it(`becomes Markdown: ${JSON.stringify(slack)}`, () => {
      expect(markdown(slack)).to.equal(expected);
    });

  for (const slack of hostile)
    it(`mentions nobody and links no script: ${JSON.stringify(slack)}`, () => {
      const rendered = render(slack);
      expect(rendered.html).not.to.match(/class="user-(?:group-)?mention(?! silent)/);
      expect(rendered.html).not.to.match(
        /class="(?:stream|topic|channel-wildcard-mention)(?:"| )(?!.*silent)/,
      );
      expect(rendered.html).not.to.match(/href="(?!https:\/\/)|<script|<h1|<img|katex|<time/);
    });

  it("shows marks as Slack does", () => {
    expect(render("*a _b_* ~c~ `d`").html).to.equal(
      "<p><strong>a <em>b</em></strong> <del>c</del> <code>d</code></p>",
    );
    expect(render("*a*_b_").html).to.equal("<p><strong>a</strong>&#8203;<em>b</em></p>");
  });

  it("shows plain characters as they are", () => {
    // Every pair of signs, between letters, between spaces and at the end.
    const signs = Array.from("*_~`@#$<>&[]()!|:-+\\\"'");
    for (const a of signs)
      for (const b of signs) {
        const text = `x ${a}${b}y ${a}${b} z${a}${b}`;
        const escaped = text
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;");
        const shown = seen(render(escaped).html);
        // Marks of Slack's own disappear: `_y _` and the like.
        const strip = (one: string) => one.replaceAll(/[*_~`]/g, "");
        expect(strip(shown), text).to.equal(strip(text));
      }
  });

  it("takes time that grows with the length of a hostile text", () => {
    for (const piece of [
      "*",
      "_*",
      "`",
      "```",
      "<",
      "<@U1",
      "&gt;&gt;&gt;",
      "*a _b ~c ",
      ":a",
      "• ",
      "[](",
      "&amp;",
      "&gt;&gt;&gt; &gt; ",
      "• a\n",
      "*a* ",
      "```a```",
      "`` ",
    ]) {
      const started = process.cpuUsage().user;
      markdown(piece.repeat(20_000));
      expect(process.cpuUsage().user - started, piece).to.be.below(1_500_000);
    }
  });
});
