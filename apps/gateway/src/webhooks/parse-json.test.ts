import { expect } from "chai";
import fc from "fast-check";

import { parseJson } from "./parse-json.ts";

/** Returns the parsed value as JSON with all its own fields, or "refused". */
async function parsed(text: string): Promise<string> {
  return parseJson(text).then(written, () => "refused");
}

function expected(text: string): string {
  try {
    return written(JSON.parse(text));
  } catch {
    return "refused";
  }
}

function written(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

describe("Payloads as JSON", () => {
  it("are parsed as JSON.parse does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ noUnicodeString: false }), async (text) => {
        expect(await parsed(text)).to.equal(expected(text));
      }),
    );
    const pieces = [
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      '"a"',
      '"',
      "\\",
      "1",
      "-",
      ".5",
      "e3",
      "0",
      " ",
      "true",
      "nul",
      "\n",
      "\u0001",
      "\\u0041",
      '"__proto__"',
    ];
    const broken = fc.array(fc.constantFrom(...pieces), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(broken, async (parts) => {
        const text = parts.join("");
        expect(await parsed(text), text).to.equal(expected(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("keep fields that are named like those of prototypes, and the last of equal names", async () => {
    const value = (await parseJson('{"__proto__": {"a": 1}, "b": 1, "b": 2}')) as object;
    expect(Object.keys(value)).to.deep.equal(["__proto__", "b"]);
    expect("a" in value).to.equal(false);
    expect(value).to.include({ b: 2 });
  });

  it("have 64 levels at most", async () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(await parsed(nested(64))).to.equal(nested(64));
    expect(await parsed(nested(65))).to.equal("refused");
    expect(await parsed('{"a":'.repeat(100_000))).to.equal("refused");
  });

  it("of two megabytes let other work run", async () => {
    const size = 2 ** 21;
    const names = Array.from({ length: size / 16 }, (_, n) => `"name ${n}":1`);
    for (const text of [`[${"[],".repeat(size / 3 - 2)}[]]`, `{${names.join(",")}}`]) {
      let turns = 0;
      const timer = setInterval(() => turns++, 0);
      await parseJson(text);
      clearInterval(timer);
      expect(turns).to.be.above(2);
    }
  });
});
