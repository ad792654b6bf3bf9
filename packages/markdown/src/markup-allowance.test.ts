import { expect } from "chai";
import { html, render } from "./test-support/sample-organization.ts";
import { emojiHtml } from "./emoji/html.ts";
import { MARKUP_ALLOWANCE } from "./rendering.ts";

const longest = 10_000;
const fill = (piece: string) => piece.repeat(longest / Array.from(piece).length);
const count = (text: string, part: string) => text.split(part).length - 1;

describe("The markup limit of one text", () => {
  it("renders emoji up to the limit, and the next one as text", () => {
    const one = emojiHtml("smile").length - ":smile:".length;
    const most = Math.floor(MARKUP_ALLOWANCE / one);
    expect(most).to.be.greaterThan(400);
    const withinIt = html(":smile:".repeat(most));
    expect(count(withinIt, "<span")).to.equal(most);
    const beyond = html(":smile:".repeat(most + 1));
    expect(beyond).to.equal(withinIt.replace("</p>", ":smile:</p>"));
  });

  it("keeps all later markup as text, even if it is shorter", () => {
    const text = `${"😀".repeat(600)} @**all** <time:1> #**name** :party_parrot: TK-1 **bold**`;
    const out = html(text);
    expect(out).to.match(
      /😀 @\*\*all\*\* &lt;time:1&gt; #\*\*name\*\* :party_parrot: TK-1 <strong>bold/,
    );
  });

  it("mentions nobody after the limit", () => {
    const before = render("@**Ada Lovelace** @*backend*");
    expect([before.mentionedUserIds, before.mentionedGroupIds]).to.deep.equal([[5], [21]]);
    const after = render(`${"😀".repeat(600)} @**Ada Lovelace** @*backend* @**all** @**topic**`);
    expect(after).to.deep.include({
      mentionedUserIds: [],
      mentionedGroupIds: [],
      channelWildcard: false,
      topicWildcard: false,
    });
  });

  for (const [name, text] of Object.entries({
    emoji: fill("😀"),
    "names of emoji": fill(":a:"),
    mentions: fill("@**|5** "),
    wildcards: fill("@**all** "),
    "links to topics": fill("#**name>topic** "),
    times: fill("<time:1> "),
    formulas: fill("$$x$$ "),
    fractions: fill("$$\\frac12$$ "),
    "matches of linkifiers": fill("TK-1 "),
    "bare domains": fill("a.co "),
    "code fences with a language": fill("~~~py\n~~~\n"),
    spoilers: fill("~~~spoiler\n~~~\n"),
    quotes: fill(">a\n\n"),
    "quotation marks in code": `\`\`\`\n${fill('"').slice(4)}`,
    "cells that are aligned": `|a|\n|:-:|\n${fill("|\n").slice(12)}`,
    "cells of 40 columns": `${"|a".repeat(40)}|\n${"|-".repeat(40)}|\n${"|\n".repeat(240)}`,
  }))
    it(`allows at most 12 characters of HTML for each character of the longest text: ${name}`, () => {
      expect(html(text).length).to.be.at.most(12 * longest);
    });

  it("allows a table of 2,500 aligned cells, and keeps one row more as text", () => {
    const table = (rows: number) => `|a|b|\n|:-:|-|\n${"|c|\n".repeat(rows)}`;
    // The engine counts one separator more than there are columns.
    const columns = 3;
    const most = Math.floor(2_500 / columns) - 2;
    expect(html(table(most))).to.match(/^<table>/);
    expect(html(table(most + 1))).not.to.include("<table>");
  });
});
