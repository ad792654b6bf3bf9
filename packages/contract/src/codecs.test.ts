import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import * as z from "zod";
import { allOperations } from "./all-operations.ts";
import { ApiError } from "./primitives/api-error.ts";
import { decodeInput } from "./primitives/decode-input.ts";
import { form } from "./primitives/form.ts";
import { maxId, maxLongId } from "./primitives/ids.ts";
import { narrowParameter } from "./operations/narrow.ts";
import { operation } from "./primitives/operation.ts";
import type { Parameter } from "./primitives/parameter.ts";
import { path } from "./primitives/path.ts";
import { isUnstorable } from "./primitives/strict-json.ts";

/** Texts that PostgreSQL can store. */
const storable = fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !isUnstorable(text));
const whole = fc.integer({ min: -(10 ** 15), max: 10 ** 15 });
/** JSON values with whole numbers only, no deeper than parameters are. */
const value = fc.jsonValue({ maxDepth: 5, stringUnit: "grapheme" }).filter(isWhole);
/** Texts that look like values of parameters, and arbitrary texts. */
const sent = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    "null",
    "true",
    "0",
    "-1",
    "1e3",
    "5.0",
    "9".repeat(400),
    "[]",
    "{}",
    '""',
    "[[",
    "[1,2",
    '{"__proto__":1}',
    '"\\ud800"',
    '"\\u0000"',
    "[".repeat(100),
    `${"[".repeat(70)}1${"]".repeat(70)}`,
  ),
);

function isWhole(json: unknown): boolean {
  const text = JSON.stringify(json);
  return (
    !isUnstorable(text) &&
    !/\\u(0000|d[89a-f])/i.test(text) &&
    !/\d(\.|e)/i.test(withoutStrings(text))
  );
}

function withoutStrings(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
}

/** Decodes a text. Returns its value or the refusal; any other error fails the test. */
function decoded<T>(parameter: Parameter<T>, text: string): T | ApiError {
  try {
    return parameter.decode("it", text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe("the codecs of parameters, for arbitrary input", () => {
  it("decode what was encoded: texts, numbers, choices and JSON", async () => {
    const any = form.json(z.unknown());
    const limited = form.int({ min: -5, max: 1_000 });
    const choice = form.oneOfOrJson("on", "off");
    await holds(
      fc.property(storable, whole, fc.boolean(), value, (text, number, flag, json) => {
        expect(decoded(form.text(), text)).to.equal(text);
        expect(decoded(form.int(), String(number))).to.equal(number);
        expect(decoded(form.bool(), String(flag))).to.equal(flag);
        expect(decoded(any, JSON.stringify(json))).to.deep.equal(JSON.parse(JSON.stringify(json)));
        const bounded = decoded(limited, String(number));
        if (number >= -5 && number <= 1_000) expect(bounded).to.equal(number);
        else expect(bounded).to.be.instanceOf(ApiError);
      }),
    );
    for (const word of ["on", '"on"', ' "on" ']) expect(decoded(choice, word)).to.equal("on");
  });

  it("decode IDs that a column can hold, and map other integers to 0", async () => {
    const anyNumber = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    await holds(
      fc.property(fc.oneof(anyNumber, fc.bigInt({ min: -5n, max: 5n })), (number) => {
        const known = (max: number) => (number >= 1n && number <= BigInt(max) ? Number(number) : 0);
        expect(decoded(form.id(), String(number))).to.equal(known(maxId));
        expect(decoded(form.id({ max: maxLongId }), String(number))).to.equal(known(maxLongId));
        if (number >= 0n) expect(path.int().decode(String(number))).to.equal(known(maxId));
      }),
    );
  });

  it("read the terms of a narrow in both of their forms", async () => {
    const operand = fc.oneof(storable, whole, fc.array(whole, { maxLength: 4 }));
    const term = fc.record({ operator: storable, operand, negated: fc.boolean() });
    await holds(
      fc.property(fc.array(term, { maxLength: 5 }), (terms) => {
        expect(decoded(narrowParameter, JSON.stringify(terms))).to.deep.equal(terms);
        const pairs = terms.filter((one) => typeof one.operand === "string");
        const short = pairs.map((one) => [one.operator, one.operand]);
        expect(decoded(narrowParameter, JSON.stringify(short))).to.deep.equal(
          pairs.map((one) => ({ ...one, negated: false })),
        );
      }),
    );
  });

  it("decode a part of a path exactly once", async () => {
    await holds(
      fc.property(storable, fc.string({ unit: "binary" }), (text, other) => {
        expect(path.text().decode(encodeURIComponent(text))).to.equal(text);
        expect(path.rest().decode(encodeURIComponent(text))).to.equal(text);
        const read = path.rest().decode(other);
        if (read !== undefined) expect(isUnstorable(read)).to.equal(false);
      }),
    );
  });

  it("refuse unusable texts with BAD_REQUEST and the parameter's name, in every operation", async () => {
    const all = allOperations.flatMap(({ id, decoders }) =>
      decoders.map(({ name, parameter }) => ({ id, name, parameter })),
    );
    await holds(
      fc.property(fc.array(sent, { minLength: 8, maxLength: 8 }), (texts) => {
        all.forEach(({ id, name, parameter }, i) => {
          const text = texts[i % texts.length] ?? "";
          const result = decoded(parameter, text);
          if (!(result instanceof ApiError)) return;
          const why = `${id} ${name}: ${JSON.stringify(text)}`;
          expect(result, why).to.deep.include({ code: "BAD_REQUEST", facts: {} });
          expect(result.message, why).to.match(/^it ./);
        });
      }),
      0.1,
    );
  });

  it("accept any one name of a parameter, and refuse two", async () => {
    const sample = operation({
      id: "sample",
      method: "GET",
      path: "/api/v1/sample",
      access: "anyone",
      summary: "x",
      params: { a: form.text().alias("b", "c"), d: form.int().default(7) },
    });
    await holds(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "e"), storable), (given) => {
        const names = Object.keys(given).filter((name) => name !== "e");
        const decode = () => decodeInput(sample, new Map(Object.entries(given)));
        if (names.length === 1) expect(decode()).to.deep.equal({ a: given[names[0] ?? ""], d: 7 });
        else expect(decode).to.throw(ApiError, names.length === 0 ? "a" : "the same parameter");
      }),
    );
  });
});
