import { expect } from "chai";
import { html } from "./test-support/sample-organization.ts";

const code = (text: string, language?: string): string => {
  const attribute = language === undefined ? "" : ` data-code-language="${language}"`;
  return `<div class="codehilite"${attribute}><pre><span></span><code>${text}\n</code></pre></div>`;
};

describe("Blocks", () => {
  it("renders an empty text to nothing", () => {
    expect(html("")).to.equal("");
    expect(html(" \n ")).to.equal("");
  });

  it("separates paragraphs by a newline and breaks lines inside one", () => {
    expect(html("one\n\ntwo")).to.equal("<p>one</p>\n<p>two</p>");
    expect(html("one\ntwo")).to.equal("<p>one<br>\ntwo</p>");
    expect(html("one\r\ntwo")).to.equal("<p>one<br>\ntwo</p>");
    expect(html("one  \n  two")).to.equal("<p>one<br>\ntwo</p>");
  });

  it("renders headings with a space and a text", () => {
    expect(html("# T")).to.equal("<h1>T</h1>");
    for (let level = 2; level <= 6; level++)
      expect(html(`${"#".repeat(level)} T`)).to.equal(`<h${level}>T</h${level}>`);
    expect(html("## T ##")).to.equal("<h2>T</h2>");
    expect(html("## C#")).to.equal("<h2>C#</h2>");
    expect(html("#T")).to.equal("<p>#T</p>");
    expect(html("####### T")).to.equal("<p>####### T</p>");
    expect(html("#")).to.equal("<p>#</p>");
  });

  it("renders three hyphens as a rule, not as a heading", () => {
    expect(html("T\n===")).to.equal("<p>T<br>\n===</p>");
    expect(html("one\n---\ntwo")).to.equal("<p>one</p>\n<hr>\n<p>two</p>");
    expect(html("one\n\n---\n\ntwo")).to.equal("<p>one</p>\n<hr>\n<p>two</p>");
  });

  describe("lists", () => {
    it("accepts all three bullets", () => {
      for (const bullet of ["*", "-", "+"]) {
        expect(html(`${bullet} a\n${bullet} b`)).to.equal("<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
      }
    });

    it("nests by two spaces, under numbers too", () => {
      const inner = "<ul>\n<li>b</li>\n</ul>\n";
      expect(html("* a\n  * b")).to.equal(`<ul>\n<li>a${inner}</li>\n</ul>`);
      expect(html("1. a\n  * b")).to.equal(`<ol>\n<li>a${inner}</li>\n</ol>`);
      expect(html("10. a\n  * b")).to.equal(`<ol start="10">\n<li>a${inner}</li>\n</ol>`);
      expect(html("* a\n * b")).to.equal("<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
    });

    it("keeps indented blocks inside their item", () => {
      expect(html("1. a\n\n   b")).to.equal("<ol>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ol>");
      expect(html("1. ```py\n   x\n   ```")).to.equal(
        `<ol>\n<li>\n${code('<span class="n">x</span>', "Python")}\n</li>\n</ol>`,
      );
    });

    it("starts a list directly after a paragraph", () => {
      expect(html("one\n* a")).to.equal("<p>one</p>\n<ul>\n<li>a</li>\n</ul>");
    });

    it("wraps items in paragraphs when blank lines separate them", () => {
      expect(html("* a\n\n* b")).to.equal(
        "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>",
      );
    });

    it("starts at the first number and ignores the later ones", () => {
      expect(html("3. a")).to.equal('<ol start="3">\n<li>a</li>\n</ol>');
      expect(html("1. a\n5. b")).to.equal("<ol>\n<li>a</li>\n<li>b</li>\n</ol>");
      expect(html("1) a")).to.equal("<p>1) a</p>");
    });
  });

  describe("quotes", () => {
    it("renders a quoted paragraph", () => {
      expect(html("> a")).to.equal("<blockquote>\n<p>a</p>\n</blockquote>");
      expect(html("> a\n> > b")).to.equal(
        "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>",
      );
    });

    it("renders two quotes separated by a blank line", () => {
      const one = "<blockquote>\n<p>a</p>\n</blockquote>";
      expect(html("> a\n\n> a")).to.equal(`${one}\n${one}`);
    });

    it("keeps a lone > as text", () => {
      expect(html(">")).to.equal("<p>&gt;</p>");
      expect(html(">\n> a")).to.equal("<p>&gt;</p>\n<blockquote>\n<p>a</p>\n</blockquote>");
    });

    it("renders a quote fence as a quote, with Markdown inside", () => {
      expect(html("```quote\n**a**\n```\nb")).to.equal(
        "<blockquote>\n<p><strong>a</strong></p>\n</blockquote>\n<p>b</p>",
      );
    });

    it("renders a quoted message below its sender", () => {
      const text =
        "@_**Ada Lovelace|5** [said](https://chat.example.com/#narrow/channel/9-name/topic/t/near/3):\n" +
        "```quote\nhi @**Grace <Hopper>**\n```\nmy answer";
      expect(html(text)).to.equal(
        '<p><span class="user-mention silent" data-user-id="5">Ada Lovelace</span> ' +
          '<a href="#narrow/channel/9-name/topic/t/near/3">said</a>:</p>\n' +
          '<blockquote>\n<p>hi <span class="user-mention silent" data-user-id="6">Grace &lt;Hopper&gt;</span></p>\n' +
          "</blockquote>\n<p>my answer</p>",
      );
    });

    it("finds the end of a quote fence after an inner fence of the same length", () => {
      expect(html("```quote\na\n```py\nx\n```\nb\n```\nc")).to.equal(
        `<blockquote>\n<p>a</p>\n${code('<span class="n">x</span>', "Python")}\n<p>b</p>\n</blockquote>\n<p>c</p>`,
      );
      expect(html("````quote\n```\nx\n```\n````\nc")).to.equal(
        `<blockquote>\n${code("x")}\n</blockquote>\n<p>c</p>`,
      );
    });
  });

  describe("code", () => {
    it("renders fences of backticks and tildes", () => {
      expect(html("```\nx\n```")).to.equal(code("x"));
      expect(html("~~~\nx\n~~~")).to.equal(code("x"));
      expect(html("````\n```\n````")).to.equal(code("```"));
    });

    it("extends an unclosed fence to the end", () => {
      expect(html("```\nx\n\ny")).to.equal(code("x\n\ny"));
    });

    it("renders four spaces of indentation as code", () => {
      expect(html("    x\n    y")).to.equal(code("x\ny"));
    });

    it("names the language for every alias", () => {
      for (const alias of ["python", "py", "python3", "Python"]) {
        expect(html(`\`\`\`${alias}\nx\n\`\`\``)).to.equal(
          code('<span class="n">x</span>', "Python"),
        );
      }
      expect(html("```klingon\nx\n```")).to.equal(code("x", "klingon"));
      expect(html('```a"b<c\nx\n```')).to.equal(code("x", "a&quot;b&lt;c"));
    });

    it("escapes quotes and renders no markup inside", () => {
      expect(html("```\n<b> \"a\" 'b' & **c** :smile: @**all**\n```")).to.equal(
        code("&lt;b&gt; &quot;a&quot; &#39;b&#39; &amp; **c** :smile: @**all**"),
      );
    });

    it("renders a fence on one line as inline code", () => {
      expect(html("```x```")).to.equal("<p><code>x</code></p>");
    });
  });

  describe("spoilers", () => {
    it("renders header and text as Markdown", () => {
      expect(html("```spoiler The *end*\n**text**\n```")).to.equal(
        '<div class="spoiler-block"><div class="spoiler-header">\n<p>The <em>end</em></p>\n</div>' +
          '<div class="spoiler-content" aria-hidden="true">\n<p><strong>text</strong></p>\n</div></div>',
      );
    });

    it("renders a spoiler without a header", () => {
      expect(html("```spoiler\ntext\n```\nb")).to.equal(
        '<div class="spoiler-block"><div class="spoiler-header">\n</div>' +
          '<div class="spoiler-content" aria-hidden="true">\n<p>text</p>\n</div></div>\n<p>b</p>',
      );
    });
  });

  describe("tables", () => {
    it("renders rows and alignment", () => {
      expect(html("|A|B|\n|:--:|---|\n|1|**2**|")).to.equal(
        '<table>\n<thead>\n<tr>\n<th style="text-align: center;">A</th>\n<th>B</th>\n</tr>\n</thead>\n' +
          '<tbody>\n<tr>\n<td style="text-align: center;">1</td>\n<td><strong>2</strong></td>\n</tr>\n' +
          "</tbody>\n</table>",
      );
    });

    it("aligns columns to each side, without rows or outer pipes too", () => {
      expect(html("a | b | c\n:-- | --: | -\n1 | 2")).to.equal(
        '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n<th style="text-align: right;">b</th>\n' +
          '<th>c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align: left;">1</td>\n' +
          '<td style="text-align: right;">2</td>\n<td></td>\n</tr>\n</tbody>\n</table>',
      );
    });

    it("keeps a table of excessive size as text", () => {
      const wide = `${"|a".repeat(900)}|\n${"|-".repeat(900)}|\n${"|\n".repeat(900)}`;
      expect(html(wide)).not.to.contain("<table");
    });
  });

  it("renders a math fence in display mode", () => {
    const out = html("```math\nx^2\n```");
    expect(out).to.match(/^<p><span class="katex-display"><span class="katex"><span class="katex-/);
    expect(out).to.contain('<annotation encoding="application/x-tex">x^2</annotation>');
    expect(out).to.match(/<\/span><\/p>$/);
    expect(html("```math\n\\bad{\n```")).to.equal('<p><span class="tex-error">\\bad{</span></p>');
  });
});
