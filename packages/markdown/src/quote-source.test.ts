import { codePointLength } from "@carillon/kit";
import { expect } from "chai";

import { hostileFragments } from "./test-support/hostile-fragments.ts";
import { parseMessage } from "./parse-message.ts";
import { fencedQuote, maxQuoteFrameLength, quotedLines } from "./quote-source.ts";
import { renderMessage } from "./render-message.ts";
import { lookups } from "./test-support/sample-organization.ts";

const texts = [
  "plain",
  "```\nunclosed",
  "```quote\nunclosed",
  "~~~\nunclosed\n~~~",
  "````\n```\nx\n```",
  "> a\n\n> b",
  "1. one\n\n2. two",
  ">",
  "a\n\n\n\nb\u2028c\r\nd\re",
  "    code",
  "<time:",
  "$$",
  "`",
  ...hostileFragments,
];
const blankless = texts.filter((text) => text.trim() !== "");
const html = (source: string) => renderMessage(parseMessage(source), lookups).html;

describe("The Markdown source of a quote", () => {
  it("ends after the given lines, whatever they contain", () => {
    for (const text of blankless) {
      const source = quotedLines(text);
      expect(source.split("\n").every((line) => line.startsWith("> "))).to.equal(true);
      expect(html(`${source}\n\nafter`), text).to.equal(`${html(source)}\n<p>after</p>`);
      expect(html(`before\n\n${source}`), text).to.equal(`<p>before</p>\n${html(source)}`);
    }
  });

  it("contains the whole message, and mentions nobody", () => {
    for (const text of [...texts, "@**Ada Lovelace** @**all** @**topic** @*support*"]) {
      const rendered = renderMessage(parseMessage(`before\n\n${fencedQuote(text)}`), lookups);
      expect(rendered.html, text).to.match(/^<p>before<\/p>\n<blockquote>\n[^]*<\/blockquote>$/);
      expect(rendered.html.match(/<\/blockquote>$/), text).to.have.length(1);
      expect(rendered).to.deep.include({
        mentionedUserIds: [],
        mentionedGroupIds: [],
        channelWildcard: false,
        topicWildcard: false,
      });
    }
  });

  it("is only slightly longer than the message", () => {
    const runs = Array.from({ length: 137 }, (_, i) => "`".repeat(i + 3)).join("\n");
    const long = runs.slice(0, 10_000);
    expect(codePointLength(fencedQuote(long)) - codePointLength(long)).to.be.within(
      250,
      maxQuoteFrameLength,
    );
  });
});
