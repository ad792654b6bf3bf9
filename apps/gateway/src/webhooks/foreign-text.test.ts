import { emptyLookups, type Lookups, parseMessage, renderMessage } from "@carillon/markdown";
import { expect } from "chai";
import fc from "fast-check";

import {
  codeBlock,
  link,
  plain,
  plainLine,
  quote,
  slack,
  topicText,
  withoutWildcards,
} from "./foreign-text.ts";

const ada = { id: 5, fullName: "Ada", isActive: true };
const team = {
  id: 21,
  name: "team",
  displayName: "team",
  deactivated: false,
  isSystemGroup: false,
};
const lookups: Lookups = {
  ...emptyLookups,
  usersByName: new Map([["ada", [ada]]]),
  usersById: new Map([[5, ada]]),
  groupsByName: new Map([["team", [team]]]),
  channelsByName: new Map([["name", { id: 9, name: "name" }]]),
};

const render = (markdown: string) =>
  renderMessage(parseMessage(markdown, { translateEmoticons: true }), lookups);

/** Pieces of hostile texts. */
const pieces = [
  ..."*_~`#>-+|[](){}<>&\"'!@:;\\/=.,$\n\t ".split(""),
  "@**Ada**",
  "@**|5**",
  "@**Ada|5**",
  "@*team*",
  "@**all**",
  "@**topic**",
  "@_**Ada**",
  "#**name>topic**",
  "**",
  "~~",
  "```",
  "``",
  "\n```quote\n",
  "\n```\n",
  "\n~~~\n",
  "$$x$$",
  "| a | b |\n|-|-|\n",
  "\n\n",
  "\n* ",
  "1. one",
  "\n    code",
  "\n> ",
  "](https://evil.example/a)",
  "[a](",
  "https://x.example/?`*$$@**Ada**",
  "<https://x.example/@**Ada**|*a*>",
  "<https://x.example/`@**all**`>",
  "<@U1|",
  "<@U1|**Ada**>",
  "<@U1|>*Ada*",
  "<#C1|**name**>",
  "<!subteam^S1|@*team*>",
  "<!here>",
  "<!date^1^{date}|@**Ada**>",
  "<mailto:a@b.example|@**all**>",
  "&#64;**Ada**",
  "&commat;",
  "*bold*",
  "_italic_",
  "~struck~",
  "\u2028",
  "\u0000",
  "\u0001",
  "\ud800",
  "\ufffe",
  "🙂",
  "wörd",
  ":smile:",
  "/poll ",
];

const hostile = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary" })),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(""));

/** Texts before and after, as in a message. */
const around = fc.constantFrom(
  ["", ""],
  ["octocat opened ", " into main."],
  ["* ", "\n* x"],
  ["✅ **a:** ", ""],
);

const mentionsNobody = (markdown: string) => {
  const { mentionedUserIds, mentionedGroupIds, channelWildcard, topicWildcard } = render(markdown);
  expect(
    { mentionedUserIds, mentionedGroupIds, channelWildcard, topicWildcard },
    JSON.stringify(markdown),
  ).to.deep.equal({
    mentionedUserIds: [],
    mentionedGroupIds: [],
    channelWildcard: false,
    topicWildcard: false,
  });
};

/** The elements of the HTML but those of links that the renderer finds in any text, and of emoji. */
const elements = (html: string) =>
  (html.match(/<[^>]*>/g) ?? []).filter((tag) => !/^<\/?(?:a\b|span\b)/.test(tag));

/** `CARILLON_FUZZ_CASES=100000` runs a longer search. */
const numRuns = Number(process.env["CARILLON_FUZZ_CASES"] ?? 400);
const run = <T>(property: fc.IProperty<T>) => fc.assert(property, { numRuns });

describe("Foreign text", () => {
  it("shows names as they are, on one line", () => {
    for (const [text, markdown] of [
      ["main", "main"],
      ["  a\r\n\tb\u2028c  ", "a b c"],
      [
        "a*b [c] <d> & `e` ~f~ $g |h",
        "a&#42;b &#91;c&#93; &lt;d&gt; &amp; &#96;e&#96; &#126;f&#126; &#36;g &#124;h",
      ],
      ["# a", "&#35; a"],
      ["- a - b", "&#45; a - b"],
      ["+ a # b", "&#43; a # b"],
      ["x".repeat(200), "x".repeat(200)],
      ["😀".repeat(201), `${"😀".repeat(199)}…`],
      ["@**all**", "@&#42;&#42;all&#42;&#42;"],
    ] as const)
      expect(plain(text), text).to.equal(markdown);
  });

  it("has no element and no mention as a name, wherever it stands", () => {
    run(
      fc.property(hostile, around, (text, [before, after]) => {
        const shown = before === "" || before === "* " ? plainLine(text) : plain(text);
        const markdown = `${before}${shown}${after}`;
        mentionsNobody(markdown);
        if (shown === "") return;
        const harmless = elements(render(`${before}word${after}`).html);
        expect(elements(render(markdown).html), JSON.stringify(text)).to.deep.equal(harmless);
      }),
    );
  });

  it("links only to the web, and shows the text of other links", () => {
    for (const [url, target] of [
      ["https://x.example/a(b)?c=d", "https://x.example/a%28b%29?c=d"],
      ["HTTP://X.example", "http://x.example/"],
      ["https://x.example/ä b", "https://x.example/%C3%A4%20b"],
      ["javascript:alert(1)", undefined],
      ["/relative", undefined],
      ["", undefined],
      [null, undefined],
      [`https://x.example/${"a".repeat(2_000)}`, undefined],
    ] as const)
      expect(link("a", url), String(url)).to.equal(target === undefined ? "a" : `[a](${target})`);
  });

  it("has one link, with its target, for all texts and addresses", () => {
    run(
      fc.property(hostile, hostile, (text, path) => {
        const markdown = `see ${link(text || "a", `https://x.example/${path}`)} and ${link("b", `https://y.example/?${path}`)}.`;
        const { html } = render(markdown);
        mentionsNobody(markdown);
        expect(elements(html), JSON.stringify(markdown)).to.deep.equal(["<p>", "</p>"]);
      }),
    );
  });

  it("is quoted whatever it contains, and its mentions are silent", () => {
    expect(quote(" \r\n ")).to.equal("");
    expect(quote("a\r\n```\nb")).to.equal("\n\n````quote\na\n```\nb\n````");
    const long = "😀".repeat(4_001);
    expect(quote(long)).to.equal(`\n\n\`\`\`quote\n${"😀".repeat(4_000)}…\n\`\`\``);
    run(
      fc.property(hostile, (text) => {
        const markdown = `x wrote:${quote(text)}`;
        mentionsNobody(markdown);
        const { html } = render(markdown);
        expect(html.startsWith("<p>x wrote:</p>"), html).to.equal(true);
        if (quote(text) !== "")
          expect(html.endsWith("</blockquote>"), JSON.stringify(markdown)).to.equal(true);
      }),
    );
  });

  it("is code in a code block, whatever it contains", () => {
    run(
      fc.property(hostile, (text) => {
        const markdown = codeBlock("json", JSON.stringify(text));
        mentionsNobody(markdown);
        expect(elements(render(markdown).html)[0]).to.match(/^<div class="codehilite"/);
      }),
    );
  });

  it("mentions nobody in the markup of Slack", () => {
    run(fc.property(hostile, (text) => mentionsNobody(slack(text))));
  });

  it("is translated from the markup of Slack", () => {
    for (const [text, markdown] of [
      ["*b* _i_ ~s~", "**b** *i* ~~s~~"],
      ["a*b* _ i_ *c *", "a*b* _ i_ *c *"],
      ["*a* *b*", "**a** **b**"],
      ["_*both*_", "***both***"],
      ["snake_case_name", "snake_case_name"],
      ["`*code*` *b*", "`*code*` **b**"],
      ["```a\n*b*```", "```\na\n*b*\n```"],
      ["<https://x.example/a_b_|a *b*>", "[a &#42;b&#42;](https://x.example/a_b_)"],
      ["<https://x.example>", "https://x.example/"],
      ["<javascript:alert(1)|a>", "&lt;javascript:alert(1)|a>"],
      ["<@U1|bob> <@U2> <#C1|general> <#C2>", "@bob @U2 #general #C2"],
      ["<!here> <!channel> <!everyone|all>", "@here @channel @everyone"],
      ["<!subteam^S1|@team> <!date^12^{date}|then>", "@team <time:12>"],
      ["a &lt; b &amp; c", "a &lt; b &amp; c"],
      ["a < b", "a &lt; b"],
      ["@**all** @_**Ada** @*team*", "&#64;**all** &#64;_**Ada** &#64;**team**"],
      ["• one\n• two", "* one\n* two"],
      ["unclosed `code", "unclosed &#96;code"],
    ] as const)
      expect(slack(text), text).to.equal(markdown);
  });

  it("mentions people but not everybody as our Markdown", () => {
    const text = "@**all** @**everyone** @**channel** @**stream** @**topic** @**Ada**";
    const { channelWildcard, topicWildcard, mentionedUserIds } = render(withoutWildcards(text));
    expect({ channelWildcard, topicWildcard, mentionedUserIds }).to.deep.equal({
      channelWildcard: false,
      topicWildcard: false,
      mentionedUserIds: [5],
    });
  });

  it("is a topic that can be stored, without escapes", () => {
    expect(topicText(" a *b*\n[c]\u200b ")).to.equal("a *b* [c]");
    run(
      fc.property(hostile, (text) => {
        expect(topicText(text)).to.not.match(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u);
      }),
    );
  });

  // A step of quadratic time would take minutes.
  it("of two megabytes is translated in linear time", () => {
    for (const text of ["*a ", "_a ", "~a ", "`", "```a", "<", "<a", "@*", "\n", "[", "a"]) {
      const long = text.repeat(Math.ceil(2 ** 21 / text.length));
      for (const translate of [plain, slack, quote, topicText])
        expect(translate(long)).to.have.length.below(300_000);
    }
  });
});
