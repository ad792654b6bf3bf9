import { expect } from "chai";
import { linkifierProblem, patternSize } from "./usable.ts";

describe("A linkifier", () => {
  const problem = (pattern: string, urlTemplate = "https://t.example/x") =>
    linkifierProblem({ pattern, urlTemplate });

  it("accepts any RE2 pattern with a matching RFC 6570 template", () => {
    for (const [pattern, template] of [
      ["#(?P<id>[0-9]+)", "https://t.example/{id}"],
      ["#(?<id>[0-9]+)", "https://t.example/{id}"],
      ["(?i)(?P<a>[a-z]+)/(?P<b_2>\\pL{1,20})#\\b", "https://t.example/{a}/{b_2:3}{?a,b_2*}{#a}"],
      ["docs", "/help/"],
      ["docs", "mailto:docs@example.com"],
      ["(?P<scheme>https?)~(?P<host>.+)", "{scheme}://{+host}"],
      ["(?P<url>https?.+)", "{+url}"],
      ["(?P<org>\\w+)!", "{org}.example.com/x"],
      ["x{1,200}", "https://t.example"],
      ["a|b|", "example.com"],
    ] as const)
      expect(problem(pattern, template), pattern).to.equal(undefined);
  });

  it("refuses a pattern that RE2 rejects", () => {
    for (const pattern of [
      "(",
      ")",
      "a)(b",
      "[",
      "(?=x)",
      "(?<=x)y",
      "\\1",
      "a**",
      "(?P<a>x)(?P<a>y)",
    ])
      expect(problem(pattern), pattern).to.match(/^pattern is not a regular expression of RE2: /);
    for (const pattern of ["", " ", "\n"]) expect(problem(pattern)).to.match(/must not be empty/);
  });

  it("refuses a pattern that is too long or expands to a long one", () => {
    expect(problem("x".repeat(250))).to.equal(undefined);
    expect(problem("x".repeat(251))).to.match(/250 characters/);
    expect(problem("x".repeat(1_000_000))).to.match(/250 characters/);
    for (const pattern of [
      "x{201}",
      "x{1,201}",
      "a{1000}b{1000}",
      "x{9}y{192}",
      "x{1,99999999999}",
    ])
      expect(problem(pattern), pattern).to.match(/200 repetitions/);
    for (const pattern of ["((x{1,9}){1,9}){1,9}", "(x{1,30}){1,30}y", "(?:abcdefgh){150}"])
      expect(problem(pattern), pattern).to.match(/too complex/);
    expect(patternSize("#(?P<id>[0-9]+)")).to.be.within(5, 20);
  });

  it("requires a template with exactly the groups of its pattern", () => {
    expect(problem("#\\d", "https://t.example/{id}")).to.match(/variable id, and pattern no group/);
    expect(problem("#(?P<id>\\d)(\\d)", "https://t.example/{id}")).to.equal(undefined);
    expect(problem("#(?P<id>\\d)")).to.match(/group id, and url_template no variable/);
    for (const template of [
      "{",
      "}",
      "{}",
      "{id",
      "id}",
      "{{id}}",
      "{!id}",
      "{id:0}",
      "{id:x}",
      "{i d}",
      "{id,}",
    ])
      expect(problem("#(?P<id>\\d)", `https://t.example/${template}`), template).to.match(
        /RFC 6570/,
      );
  });

  it("refuses a target that links may not have", () => {
    for (const template of [
      "",
      " ",
      "x",
      "javascript:alert(1)",
      "data:text/html,x",
      "//t.example",
      "/\\t.example",
    ])
      expect(problem("x", template), template).to.match(/must be an address/);
    expect(problem("#(?P<id>\\d)", "javascript:{id}")).to.match(/must be an address/);
    expect(problem("x", `https://t.example/${"x".repeat(1_000)}`)).to.match(/1000 characters/);
  });
});
