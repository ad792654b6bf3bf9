import { expect } from "chai";
import { countSteps } from "../test-support/counted-steps.ts";
import { parseMessage } from "../parse-message.ts";
import { renderMessage } from "../render-message.ts";
import { lookups } from "../test-support/sample-organization.ts";
import { topicLinks } from "../topic-links.ts";
import { type Linkifier, Linkifiers } from "./linkifiers.ts";
import { plainBeginning } from "./pattern.ts";

const p = (inside: string): string => `<p>${inside}</p>`;
const a = (href: string, text = href): string => `<a href="${href}">${text}</a>`;

const tickets = { pattern: "#(?P<id>[0-9]+)", urlTemplate: "https://t.example/{id}" };
const ticket = (id: number): string => a(`https://t.example/${id}`, `#${id}`);

function linked(text: string, ...own: readonly Linkifier[]): string {
  const linkifiers = new Linkifiers(own.length === 0 ? [tickets] : own);
  const parsed = parseMessage(text, { translateEmoticons: true });
  return renderMessage(parsed, { ...lookups, linkifiers }).html;
}

describe("Linkifiers", () => {
  it("link their matches by their template", () => {
    expect(linked("see #12, #13")).to.equal(p(`see ${ticket(12)}, ${ticket(13)}`));
    expect(
      linked("zulip/mobile#5 x", {
        pattern: "(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<id>\\d+)",
        urlTemplate: "https://hub.example/{org}/{repo}/issues/{id}{?missing}",
      }),
    ).to.equal(p(`${a("https://hub.example/zulip/mobile/issues/5", "zulip/mobile#5")} x`));
  });

  it("count as links", () => {
    const render = (linkifiers: Linkifiers) =>
      renderMessage(parseMessage("#12"), { ...lookups, linkifiers });
    expect(render(new Linkifiers([tickets])).hasLink).to.equal(true);
    expect(render(new Linkifiers([])).hasLink).to.equal(false);
  });

  it("match after the start, white space or one of ' \" ( , : <, and not before a letter or digit", () => {
    for (const before of ["", "a ", "a\n", "\u00a0", "'", '"', "(", ",", ":", "<"])
      expect(linked(`${before}#1`), before).to.contain(ticket(1));
    for (const before of ["a", "/", "*", "#", ".", "-", ")", "ä"])
      expect(linked(`${before}#1`), before).not.to.contain("<a ");
    for (const after of ["", " ", ".", ")", "_", "\n", "*", ":", "🙂"])
      expect(linked(`#1${after}`), after).to.contain(ticket(1));
    for (const after of ["a", "ä", "漢", "٣"])
      expect(linked(`#1${after}`), after).not.to.contain("<a ");
    expect(linked("#1 #2")).to.equal(p(`${ticket(1)} ${ticket(2)}`));
  });

  it("skip code, mentions, formulas, times, links and addresses", () => {
    const any = { pattern: "x.*y", urlTemplate: "https://t.example/" };
    expect(linked("`#1` [#2](/b) https://x.org/(#3)")).to.equal(
      p(`<code>#1</code> ${a("/b", "#2")} ${a("https://x.org/(#3)")}`),
    );
    expect(linked("```\n#1\n```")).not.to.contain("<a ");
    for (const text of [
      "x @**Ada Lovelace** y",
      "x #**name** y",
      "x `code` y",
      "x [a](/b) y",
      "x <time:2024-03-07> y",
      "x $$x$$ y",
      "x http://a.org y",
    ])
      expect(linked(text, any), text).not.to.contain("t.example");
    expect(linked("x @**Nobody** y", any)).to.equal(p(a("https://t.example/", "x @**Nobody** y")));
  });

  it("are applied before emphasis, emoji and entities, which are not parsed inside matches", () => {
    const run = { pattern: "run .+ now", urlTemplate: "/run" };
    expect(linked("x run *a* ~~b~~ :smile: 🙂 &amp; :) now.", run)).to.equal(
      p(`x ${a("/run", "run *a* ~~b~~ :smile: 🙂 &amp;amp; :) now")}.`),
    );
    expect(linked("** #1 **#2** (#3)")).to.contain(ticket(3));
    expect(linked("**see #1 here**")).to.equal(p(`<strong>see ${ticket(1)} here</strong>`));
  });

  it("are applied in quotes, lists, headings, tables and spoilers, but not in link labels", () => {
    expect(linked("> #1")).to.equal(`<blockquote>\n${p(ticket(1))}\n</blockquote>`);
    expect(linked("* #1")).to.contain(`<li>${ticket(1)}</li>`);
    expect(linked("# #1")).to.equal(`<h1>${ticket(1)}</h1>`);
    expect(linked("|#1|\n|-|\n|#2|")).to.contain(ticket(1)).and.to.contain(ticket(2));
    expect(linked("```spoiler #1\n#2\n```")).to.contain(ticket(1)).and.to.contain(ticket(2));
  });

  it("are applied in their order if several match", () => {
    const first = { pattern: "#1(?P<rest>\\d)", urlTemplate: "https://first.example/{rest}" };
    expect(linked("#12 #23", first, tickets)).to.equal(
      p(`${a("https://first.example/2", "#12")} ${ticket(23)}`),
    );
    expect(linked("#12 #23", tickets, first)).to.equal(p(`${ticket(12)} ${ticket(23)}`));
  });

  it("create no link with a script scheme or from an invalid pattern", () => {
    for (const urlTemplate of ["javascript:{+id}", "{+id}", "data:text/html,{id}", "//{id}", ""])
      expect(linked("#1", { ...tickets, urlTemplate }), urlTemplate).to.equal(p("#1"));
    const script = { pattern: "(?P<url>java.*)", urlTemplate: "{+url}" };
    expect(linked("javascript:alert(1)", script)).not.to.contain("<a ");
    for (const pattern of ["(", "a)(b", "(?=x)", "[", "(?P<id>", "\\1"])
      expect(linked("#1 a b x", { ...tickets, pattern }, tickets), pattern).to.equal(
        p(`${ticket(1)} a b x`),
      );
    expect(linked("#1 x", { pattern: "y*", urlTemplate: "/y" })).to.equal(p("#1 x"));
  });

  it("escape their targets", () => {
    const quote = { pattern: '(?P<q>q".+)', urlTemplate: "https://x.example/{+q}?a&b='{q}" };
    expect(linked("q\"<&>'é", quote)).to.equal(
      p(
        a(
          "https://x.example/q%22%3C&amp;%3E'%C3%A9?a&amp;b='q%22%3C%26%3E%27%C3%A9",
          "q\"&lt;&amp;&gt;'é",
        ),
      ),
    );
  });

  it("expand templates by RFC 6570", () => {
    const forms: Record<string, string> = {
      "{v}": "a%2Fb%20%C3%A9%21",
      "{+v}": "a/b%20%C3%A9!",
      "x{#v}": "x#a/b%20%C3%A9!",
      "x{.v,v}": "x.a%2Fb%20%C3%A9%21.a%2Fb%20%C3%A9%21",
      "{/v:1,e}": "/a/",
      "x{;v:1,e}": "x;v=a;e",
      "x{?v:1,e}": "x?v=a&amp;e=",
      "x?y=1{&v:1}": "x?y=1&amp;v=a",
      "{v,none:2}": "a%2Fb%20%C3%A9%21",
      "{v*}{?none}": "a%2Fb%20%C3%A9%21",
      "{e}{none}x": "x",
    };
    for (const [template, expanded] of Object.entries(forms)) {
      const linkifier = {
        pattern: "<(?P<v>a/b é!)(?P<e>)(?P<none>z)?>",
        urlTemplate: `https://x.example/${template}`,
      };
      expect(linked("<a/b é!>", linkifier), template).to.contain(
        `href="https://x.example/${expanded}"`,
      );
    }
  });

  it("link topics, after bare URLs", () => {
    const linkifiers = new Linkifiers([tickets]);
    expect(topicLinks("#12 example.com (#13) https://x.org/(#14)", linkifiers)).to.deep.equal([
      { text: "#12", url: "https://t.example/12" },
      { text: "example.com", url: "https://example.com" },
      { text: "#13", url: "https://t.example/13" },
      { text: "https://x.org/(#14)", url: "https://x.org/(#14)" },
    ]);
    expect(topicLinks("#12")).to.deep.equal([]);
  });

  it("use at most 300 matches in one text, and scan a limited number of characters for any pattern", () => {
    const links = (text: string) => linked(text).split("t.example").length - 1;
    expect(links("#1 ".repeat(299))).to.equal(299);
    expect(links("> #1\n\n".repeat(1_000))).to.equal(300);
    for (const pattern of ["(a+)+b", "(?:a[^b]*b)|a", "(.*)*z", "(x{1,30}){1,30}y", "[^ ]+"]) {
      const linkifiers = new Linkifiers([{ pattern, urlTemplate: "/x" }]);
      for (const text of ["a ".repeat(5_000), "a".repeat(10_000), "x,".repeat(5_000)]) {
        expect(linkifiers.matchingIn([text]).find(text, []).length, pattern).to.be.at.most(300);
        const parsed = parseMessage(text.replaceAll(" ", " \n> "));
        const steps = countSteps(() => renderMessage(parsed, { ...lookups, linkifiers }));
        expect(steps, pattern).to.be.at.most(400 * parsed.content.length);
      }
    }
  });

  it("skip the later ones after the scan limit", () => {
    const plain = { pattern: "[#]1", urlTemplate: "/plain" };
    const dear = Array.from({ length: 60 }, (_, n) => ({
      pattern: `[#]${2 + (n % 8)}`,
      urlTemplate: "/dear",
    }));
    const text = "a #1 ".repeat(2_000);
    const find = (...own: Linkifier[]) =>
      new Linkifiers(own).matchingIn([text]).find(text, []).length;
    expect(find(plain, ...dear)).to.be.above(200);
    expect(find(...dear, plain)).to.equal(0);
    // Patterns whose literal prefix is absent are not scanned for.
    const absent = dear.map(({ pattern, urlTemplate }) => ({
      pattern: `!${pattern}`,
      urlTemplate,
    }));
    expect(find(...absent, plain)).to.be.above(200);
  });

  it("are found by their literal prefix if they have one", () => {
    const beginnings: Record<string, string> = {
      "#(?P<id>[0-9]+)": "#",
      "T-\\d": "T-",
      "issue #?\\d": "issue ",
      "ab*c": "a",
      "ab{0,2}": "a",
      "ab+": "ab",
      "\\#\\.x": "#.x",
      "\\Qa\\E": "",
      "a|b": "",
      "(?i)a": "",
      "[ab]c": "",
      "^a": "",
      "漢🙂?": "漢",
    };
    for (const [pattern, beginning] of Object.entries(beginnings))
      expect(plainBeginning(pattern), pattern).to.equal(beginning);
  });
});
