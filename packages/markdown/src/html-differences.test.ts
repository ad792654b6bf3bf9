import { expect } from "chai";

import { htmlDifferences } from "./html-differences.ts";

describe("Differences between two rendered texts", () => {
  const came = (text: string) => `<span class="highlight_text_inserted">${text}</span>`;
  const went = (text: string) => `<span class="highlight_text_deleted">${text}</span>`;

  it("are shown word by word", () => {
    const same = "<p>Soup at <strong>noon</strong></p>";
    expect(htmlDifferences(same, same)).to.equal(same);
    expect(htmlDifferences("<p>Soup at noon</p>", "<p>Soup at one</p>")).to.equal(
      `<p>Soup at ${went("noon")}${came("one")}</p>`,
    );
    expect(htmlDifferences("<p>Soup</p>", "<p>Soup at noon</p>")).to.equal(
      `<p>Soup${came(" at noon")}</p>`,
    );
    expect(htmlDifferences("<p>no a b c</p>", "<p>a x c d</p>")).to.equal(
      `<p>${went("no ")}a ${went("b")}${came("x")} c${came(" d")}</p>`,
    );
    expect(htmlDifferences("", "<p>a</p>")).to.equal(`<p>${came("a")}</p>`);
    expect(htmlDifferences("<p>a</p>", "")).to.equal(went("a"));
    expect(htmlDifferences("", "")).to.equal("");
  });

  it("keep the markup of the newer text, whatever tags have changed", () => {
    expect(htmlDifferences("<p>a <strong>b</strong></p>", "<p>a <em>b</em></p>")).to.match(
      /^<p>a <em>.*b.*<\/em><\/p>$/,
    );
    expect(
      htmlDifferences("<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "<ul>\n<li>a</li>\n</ul>"),
    ).to.equal(`<ul>\n<li>a</li>\n${went("b")}</ul>`);
    expect(htmlDifferences('<p><a href="x">a</a></p>', "<p>&lt;b&gt;</p>")).to.equal(
      `<p>${went("a")}${came("&lt;b&gt;")}</p>`,
    );
  });

  it("restore either text without the marks of the other, for random texts", () => {
    let seed = 20_261_122;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const words = ["<p>", "</p>", "a", "b", "c", " ", "&amp;", "<br>"];
    const text = () =>
      Array.from({ length: random(30) }, () => words[random(words.length)]).join("");
    const tags = (html: string) => html.match(/<[^>]*>/g) ?? [];
    const plain = (html: string) => html.replace(/<[^>]*>/g, "").replace(/\s+/g, "");
    const without = (kind: string, html: string) =>
      html.replace(new RegExp(`<span class="highlight_text_${kind}">[^<]*</span>`, "g"), "");
    for (let i = 0; i < 500; i++) {
      const [before, after] = [text(), text()];
      const both = htmlDifferences(before, after);
      const only = without("deleted", both).replace(/<\/?span[^>]*>/g, "");
      expect(tags(only), `${before} -> ${after}`).to.deep.equal(tags(after));
      expect(plain(only)).to.equal(plain(after));
      expect(plain(without("inserted", both))).to.equal(plain(before));
    }
  });

  it("cover everything between the common prefix and suffix if the texts differ too much", () => {
    const text = (name: string) =>
      Array.from({ length: 20_000 }, (_, i) => `${name}${i}`).join(" ");
    const [before, after] = [text("a"), text("b")];
    expect(htmlDifferences(`<p>so ${before} on</p>`, `<p>so ${after} on</p>`)).to.equal(
      `<p>so ${went(before)}${came(after)} on</p>`,
    );
  });
});
