import { expect } from "chai";
import { html } from "./test-support/sample-organization.ts";

const p = (inside: string): string => `<p>${inside}</p>`;
const smile =
  '<span aria-label="smile" class="emoji emoji-1f642" role="img" title="smile">:smile:</span>';

describe("Inline markup", () => {
  describe("emphasis", () => {
    it("accepts stars for bold and italic and tildes for strikethrough", () => {
      expect(html("**b** *i* ***bi*** ~~s~~")).to.equal(
        p("<strong>b</strong> <em>i</em> <strong><em>bi</em></strong> <del>s</del>"),
      );
    });

    it("ignores underscores", () => {
      expect(html("_i_ __b__")).to.equal(p("_i_ __b__"));
    });

    it("requires a character next to the inner side of a star", () => {
      expect(html("2 * 3 * 4")).to.equal(p("2 * 3 * 4"));
      expect(html("** a ** ~~ a ~~")).to.equal(p("** a ** ~~ a ~~"));
      expect(html("2*3*4")).to.equal(p("2<em>3</em>4"));
      expect(html("**(a)**b")).to.equal(p("<strong>(a)</strong>b"));
    });

    it("ends at the end of the line", () => {
      expect(html("*a\nb*")).to.equal(p("*a<br>\nb*"));
    });

    it("nests", () => {
      expect(html("**a *b***")).to.equal(p("<strong>a <em>b</em></strong>"));
      expect(html("*a **b***")).to.equal(p("<em>a <strong>b</strong></em>"));
      expect(html("***a** b*")).to.equal(p("<em><strong>a</strong> b</em>"));
      expect(html("***a* b**")).to.equal(p("<strong><em>a</em> b</strong>"));
      expect(html("**a* b**")).to.equal(p("<strong>a* b</strong>"));
      expect(html("**~~a~~**")).to.equal(p("<strong><del>a</del></strong>"));
    });

    it("keeps unpaired markers as text", () => {
      expect(html("**a* ~b~ ****c****")).to.equal(p("**a* ~b~ ****c****"));
    });

    it("may be inside or around a link", () => {
      expect(html("**[a *b*](/c)** *[d*](/e)")).to.equal(
        p('<strong><a href="/c">a <em>b</em></a></strong> *<a href="/e">d*</a>'),
      );
    });
  });

  describe("code", () => {
    it("renders no markup inside and keeps spaces", () => {
      expect(html("`x` ` y ` ``a`b``")).to.equal(
        p("<code>x</code> <code> y </code> <code>a`b</code>"),
      );
      expect(html('`**a** <b> "c" @**all** https://x.org`')).to.equal(
        p('<code>**a** &lt;b&gt; "c" @**all** https://x.org</code>'),
      );
    });

    it("requires as many backticks at the end", () => {
      expect(html("``a` *b*")).to.equal(p("``a` <em>b</em>"));
    });
  });

  describe("emoji", () => {
    it("renders a name", () => {
      expect(html(":smile:")).to.equal(p(smile));
      expect(html(":thumbs_up:")).to.equal(
        p(
          '<span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" title="thumbs up">:thumbs_up:</span>',
        ),
      );
    });

    it("renders an emoji character like its name", () => {
      expect(html("a🙂b")).to.equal(p(`a${smile}b`));
      expect(html("❤️ ❤")).to.match(/emoji-2764.* .*emoji-2764/);
      expect(html("👨‍👩‍👧")).to.contain("emoji-1f468-200d-1f469-200d-1f467");
      expect(html("🇩🇪")).to.contain("emoji-1f1e9-1f1ea");
      expect(html("at 1️⃣2️⃣")).to.match(/^<p>at <span [^>]*emoji-0031-20e3.*emoji-0032-20e3/);
    });

    it("keeps unknown names, skin tones and symbols as text", () => {
      const text = ":no_such_name: 12:30:45 👍🏽 © → ™";
      expect(html(text)).to.equal(p(text));
    });

    it("renders custom emoji of the organization and the built-in one as images", () => {
      expect(html("a :party_parrot: b")).to.equal(
        p(
          'a <img alt=":party_parrot:" class="emoji" src="/user_avatars/2/emoji/images/1.gif" title="party parrot"> b',
        ),
      );
      expect(html(":zulip:")).to.match(
        /^<p><img alt=":zulip:" class="emoji" src="[^"]+" title="zulip"><\/p>$/,
      );
    });

    it("translates emoticons only on request", () => {
      expect(html("hi :)")).to.equal(p("hi :)"));
      expect(html("hi :)", { translateEmoticons: true })).to.equal(p(`hi ${smile}`));
      expect(html("f(x:) http://a.org:/ `:)`", { translateEmoticons: true })).not.to.contain(
        "emoji",
      );
      expect(html("<3", { translateEmoticons: true })).to.contain("emoji-2764");
    });
  });

  describe("math", () => {
    it("renders TeX", () => {
      const out = html("a $$x$$ b");
      expect(out).to.match(/^<p>a <span class="katex"><span class="katex-mathml"><math /);
      expect(out).to.contain('<annotation encoding="application/x-tex">x</annotation>');
      expect(out).to.contain('<span class="katex-html" aria-hidden="true">');
    });

    it("shows invalid TeX as text", () => {
      expect(html("$$\\frac{<$$")).to.equal(p('<span class="tex-error">$$\\frac{&lt;$$</span>'));
    });

    it("keeps amounts of money and empty formulas as text", () => {
      for (const text of ["$5 and $6", "$$$", "$$_$$", "$$$$", "a$$x$$", "$$a\nb$$"]) {
        expect(html(text)).to.equal(p(text.replace("\n", "<br>\n")));
      }
    });

    it("rejects commands that link or load", () => {
      for (const tex of ["\\href{javascript:alert(1)}{x}", "\\includegraphics{http://a.b/c.png}"]) {
        expect(html(`$$${tex}$$`)).not.to.match(/<a |<img/);
      }
    });

    it("stops rendering formulas beyond the limit of a text", () => {
      const out = html("$$x$$ ".repeat(500));
      expect(out).to.contain('<span class="katex">');
      expect(out).to.contain('<span class="tex-error">$$x$$</span>');
    });
  });

  describe("time", () => {
    it("contains the time in UTC and the source text", () => {
      expect(html("<time:2024-03-07T15:00:00-08:00>")).to.equal(
        p('<time datetime="2024-03-07T23:00:00Z">2024-03-07T15:00:00-08:00</time>'),
      );
    });

    it("accepts all forms of ISO 8601, UTC without a zone, and UNIX seconds", () => {
      const moments: Record<string, string> = {
        "2024-03-07T15:00:00": "2024-03-07T15:00:00Z",
        "2024-03-07 15:00": "2024-03-07T15:00:00Z",
        "2024-03-07": "2024-03-07T00:00:00Z",
        "2024-03-07T15:00:00.250Z": "2024-03-07T15:00:00Z",
        "2024-03-07T15:00:00+0530": "2024-03-07T09:30:00Z",
        "20240307T150000Z": "2024-03-07T15:00:00Z",
        "2024-W10-4T15": "2024-03-07T15:00:00Z",
        "2024-067": "2024-03-07T00:00:00Z",
        "1709823600": "2024-03-07T15:00:00Z",
      };
      for (const [typed, utc] of Object.entries(moments)) {
        expect(html(`<time:${typed}>`)).to.equal(p(`<time datetime="${utc}">${typed}</time>`));
      }
    });

    it("shows invalid times as text", () => {
      for (const typed of [
        "xyz",
        "2024-02-30",
        "2024-13-01",
        "2024-03-07T25:00",
        "-000001-01-01",
        "+010000-01-01",
        "99999999999999",
      ]) {
        expect(html(`<time:${typed}>`)).to.equal(p(`&lt;time:${typed}&gt;`));
      }
    });
  });

  it("does not treat /me specially", () => {
    expect(html("/me waves")).to.equal(p("/me waves"));
  });

  it("keeps backslashes", () => {
    expect(html("\\*a\\*")).to.equal(p("\\<em>a\\</em>"));
    expect(html("C:\\new\\table")).to.equal(p("C:\\new\\table"));
  });
});
