import { sequence, oneOf } from "@carillon/testkit";
import { expect } from "chai";
import { hostileFragments } from "../test-support/hostile-fragments.ts";
import { html } from "../test-support/sample-organization.ts";
import { plainText } from "../plain/plain-text.ts";
import { highlightCode } from "./highlight-code.ts";
import { tokenizedLanguages } from "./tokenizers.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** Returns the text of HTML that has spans with a class only. */
function textOf(marked: string): string {
  return marked
    .replaceAll(/<span class="[a-z]{1,2}[1-9]?">|<\/span>/g, "")
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Returns the class of each token, by its text. */
function classesIn(language: string, code: string): string {
  const spans = (highlightCode(language, code) ?? "").matchAll(/<span class="(\w+)">([^<]*)</g);
  return Array.from(spans, ([, name, text]) => `${textOf(text ?? "").trim()} ${name}`).join("\n");
}

const block = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

describe("Spans of tokens in code", () => {
  /** Code, and tokens with the class that Pygments 2.21 gives them. */
  const known: ReadonlyArray<readonly [language: string, code: string, tokens: string]> = [
    [
      "Python",
      '# c\nimport os\n@cache\ndef f(self, x=0xFF):\n    """Doc."""\n    return None if not x else len("a") + 1.5\n',
      '# c c1\nimport kn\nos nn\n@cache nd\ndef k\nf nf\n( p\nself bp\n, p\nx n\n= o\n0xFF mh\n): p\n"""Doc.""" sd\nreturn k\nNone kc\n' +
        'if k\nnot ow\nx n\nelse k\nlen nb\n( p\n"a" s2\n) p\n+ o\n1.5 mf',
    ],
    [
      "JavaScript",
      "// c\nconst x = 'a';\nfunction f(b) { return new Date() || /a+/g; }\n",
      "// c c1\nconst kd\nx nx\n= o\n'a' s1\n; p\nfunction kd\nf nx\n( p\nb nx\n) p\n{ p\nreturn k\nnew ow\nDate nb\n() p\n|| o\n/a+/g sr\n; p\n} p",
    ],
    [
      "Java",
      'import a.b;\n@Override\npublic void f(int x) { return "a" + null; }\n',
      'import kn\na nn\n. p\nb nn\n; p\n@Override nd\npublic kd\nvoid kt\nf nf\n( p\nint kt\nx n\n) p\n{ p\nreturn k\n"a" s\n+ o\nnull kc\n; p\n} p',
    ],
    [
      "Go",
      "func main() { var x int = 1 }\n",
      "func kd\nmain nx\n() p\n{ p\nvar kd\nx nx\nint kt\n= o\n1 mi\n} p",
    ],
    [
      "SQL",
      "-- c\nSELECT a FROM t WHERE b = 'x';\n",
      "-- c c1\nSELECT k\na n\nFROM k\nt n\nWHERE k\nb n\n= o\n'x' s1\n; p",
    ],
    [
      "JSON",
      '{"a": [1, true, "x"]}\n',
      '{ p\n"a" nt\n: p\n[ p\n1 mi\n, p\ntrue kc\n, p\n"x" s2\n]} p',
    ],
    ["Diff", " a\n-b\n+c\n@@ -1 +1 @@\n", "-b gd\n+c gi\n@@ -1 +1 @@ gu"],
    [
      "HTML",
      '<p class="x">a &lt; b</p>\n',
      '< p\np nt\nclass na\n= o\n"x" s\n> p\n&lt; ni\n</ p\np nt\n> p',
    ],
    [
      "Lua",
      'local function f(a) return "x" end\n',
      'local kd\nfunction kr\nf nf\n( p\na nv\n) p\nreturn kr\n"x" s2\nend kr',
    ],
  ];
  for (const [language, code, tokens] of known)
    it(`have the classes of Pygments: ${language}`, () => {
      expect(classesIn(language, code)).to.equal(tokens);
    });

  it("are in the HTML of a message, by any alias of the language", () => {
    expect(html(block("py", "x = 1"))).to.equal(
      '<div class="codehilite" data-code-language="Python"><pre><span></span><code>' +
        '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>\n</code></pre></div>',
    );
    for (const plain of ["ada", "perl", "yaml"])
      expect(html(block(plain, "x = 1"))).not.to.contain("<span class");
    expect(html(`> ${block("py", "x = 1").replaceAll("\n", "\n> ")}`)).to.contain(
      '<span class="mi">1</span>',
    );
  });

  it("change no character of the code, in any language", () => {
    const random = sequence(73);
    for (const language of tokenizedLanguages)
      for (let n = 0; n < 25; n++) {
        const code = Array.from({ length: 30 }, () => oneOf(random, hostileFragments)).join("");
        const marked = highlightCode(language, code);
        if (marked !== undefined) expect(textOf(marked), language).to.equal(code);
      }
  });

  it("are left out where a tokenizer would loop forever", () => {
    for (const sign of ["\r", "\u2028", "\u2029"])
      for (const quote of ['"', "'", '"""', "'''"])
        expect(highlightCode("TOML", `a = ${quote}${sign}c${quote}\n`)).to.equal(undefined);
  });

  it("change no word of the message's plain text", () => {
    const code = "def f(a):\n    return a # b";
    const shown = (language: string): string => plainText(html(block(language, code)), 1_000);
    expect(shown("py")).to.equal(shown("ada"));
  });

  it("are the same however often and after whatever text they are made", () => {
    const random = sequence(31);
    const code = 'f("a") { b = 1 } # c\n';
    for (const language of tokenizedLanguages) {
      const first = highlightCode(language, code);
      for (let n = 0; n < 5; n++)
        highlightCode(
          language,
          Array.from({ length: 20 }, () => oneOf(random, hostileFragments)).join(""),
        );
      expect(highlightCode(language, code), language).to.equal(first);
    }
  });

  it("are limited by the length of the code and of its lines, and by its words and signs", () => {
    const has = (text: string): boolean => /<span class="n">/.test(html(text));
    expect(has(block("py", "abc\n".repeat(1_249)))).to.equal(true);
    expect(has(block("py", "abc\n".repeat(1_250)))).to.equal(false);
    expect(has(block("py", "a".repeat(500)))).to.equal(true);
    expect(has(block("py", "a".repeat(501)))).to.equal(false);
    // 2,000 words and signs, and one more.
    expect(has(block("py", "a+\n".repeat(1_000)))).to.equal(true);
    expect(has(block("py", `${"a+\n".repeat(1_000)}b`))).to.equal(false);
    const two = html(`${block("py", "a+\n".repeat(500))}\n${block("js", "b+\n".repeat(501))}`);
    expect(two).to.contain('<span class="n">a</span>').and.not.to.contain('<span class="nx">');
    expect(html(block("js", "{\n".repeat(2_001)))).not.to.contain("<span class");
    expect(html(block("js", "# кот\n".repeat(800)))).to.contain("<span class");
  });

  it("take no mention's place in the HTML that one text may have", () => {
    const mentions = "@**|5** ".repeat(700);
    const names = (text: string): number => html(text).split('data-user-id="5"').length - 1;
    expect(names(`${block("py", "a+\n".repeat(1_000))}\n${mentions}`)).to.equal(names(mentions));
  });
});
