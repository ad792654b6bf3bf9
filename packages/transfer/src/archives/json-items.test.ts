import { expect } from "chai";
import fc from "fast-check";

import { jsonItems } from "./json-items.ts";

async function* chunks(text: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Buffer, size = 7, wants?: (list: string) => boolean) {
  const found: [string, unknown][] = [];
  for await (const { list, value } of jsonItems("x.json", chunks(text, size), wants))
    found.push([list, value]);
  return found;
}

const problem = (text: string): Promise<string> =>
  read(text).then(
    () => "none",
    (error: Error) => error.message,
  );

describe("elements of JSON files", () => {
  it("are those that JSON.parse finds, however the bytes are split", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (values, size, isIndented) => {
          const text = JSON.stringify(values, undefined, isIndented ? 2 : undefined);
          const expected = (JSON.parse(text) as unknown[]).map((value) => ["", value]);
          expect(await read(text, size)).to.deep.equal(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are read by the names of their arrays in an object", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.string({ maxLength: 8 }), fc.array(fc.jsonValue(), { maxLength: 3 })),
          { maxLength: 4 },
        ),
        fc.integer({ min: 1, max: 40 }),
        async (members, size) => {
          // JSON.stringify would sort names that are numbers.
          const body = members.map(
            ([name, values]) => `${JSON.stringify(name)} : ${JSON.stringify(values)}`,
          );
          const text = `{"version": {"a": [1, "]"]}, "name": "a, \\"b\\": [", ${[...body, '"last": 1'].join(",\n")}}`;
          const expected = members.flatMap(([name, values]) =>
            (JSON.parse(JSON.stringify(values)) as unknown[]).map((value) => [name, value]),
          );
          expect(await read(text, size)).to.deep.equal(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("leaves out unwanted arrays, whatever is in them", async () => {
    const text = '{"a": [1, {"x": "]"}], "b": [not json, at all], "c": [2]}';
    expect(await read(text, 3, (list) => list !== "b")).to.deep.equal([
      ["a", 1],
      ["a", { x: "]" }],
      ["c", 2],
    ]);
  });

  it("has no NUL characters, and reads a byte order mark", async () => {
    expect(await read('\ufeff["a\\u0000b", "\\\\u0000"]')).to.deep.equal([
      ["", "ab"],
      ["", "\\u0000"],
    ]);
  });

  it("reads a file that is larger than an element may be", async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      const part = Buffer.from(`"${"x".repeat(1000)}",`.repeat(100));
      yield Buffer.from("[");
      for (let n = 0; n < 200; n++) yield part;
      yield Buffer.from("0]");
    }
    let count = 0;
    for await (const { bytes } of jsonItems("x.json", endless())) count += bytes > 0 ? 1 : 0;
    expect(count).to.equal(20_001);
  });

  for (const [text, expected] of [
    ["", "is empty"],
    ["  ", "is empty"],
    ["17", "is not a JSON array or object"],
    ["[1, 2", "does not end: it was cut off"],
    ['["a', "does not end: it was cut off"],
    ["[1] 2", "has something after its end"],
    ["[1,,2]", "is not JSON in element 2"],
    ["[1,]", "is not JSON in element 2"],
    ["[{]}]", "is not JSON"],
    ["[{1}]", "is not JSON in element 1"],
    ["[}", "is not JSON"],
    ["{[1]}", "is not JSON"],
    ['{"a": 1 [2]}', "is not JSON"],
    ["[".repeat(2000), "is nested too deeply"],
  ] as const)
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, async () => {
      expect(await problem(text)).to.equal(`x.json: ${expected}`);
    });
});
