import { expect } from "chai";
import * as z from "zod";
import { ApiError } from "./api-error.ts";
import { form } from "./form.ts";
import type { Parameter } from "./parameter.ts";
import { shape } from "./shape.ts";

function accepts<T>(parameter: Parameter<T>, text: string, value: T): void {
  expect(parameter.decode("x", text), JSON.stringify(text)).to.deep.equal(value);
}

function refuses(parameter: Parameter<unknown>, ...texts: string[]): void {
  for (const text of texts) {
    expect(() => parameter.decode("x", text), JSON.stringify(text.slice(0, 40)))
      .to.throw(ApiError, /^x /)
      .with.property("code", "BAD_REQUEST");
  }
}

describe("form.text", () => {
  it("takes the text itself and never decodes it as JSON", () => {
    for (const text of ['"a"', "", " a ", "null", "😀", "[1]"]) accepts(form.text(), text, text);
  });

  it("refuses U+0000, which no column holds", () => {
    refuses(form.text(), "a\0b");
  });
});

describe("form.oneOf", () => {
  it("takes exactly one of the listed values", () => {
    accepts(form.oneOf("direct", "channel"), "channel", "channel");
    refuses(form.oneOf("direct", "channel"), "Channel", '"channel"', "", "null", " channel");
  });

  it("also accepts the values as JSON strings", () => {
    accepts(form.oneOfOrJson("inherit", "none"), "inherit", "inherit");
    accepts(form.oneOfOrJson("inherit", "none"), '"none"', "none");
    refuses(form.oneOfOrJson("inherit", "none"), '"other"', "1", "");
  });
});

describe("form.bool", () => {
  it("takes true and false only", () => {
    accepts(form.bool(), "true", true);
    accepts(form.bool(), "false", false);
    refuses(form.bool(), "True", "1", "0", "yes", '"true"', "", "null");
  });

  it("also takes listed words", () => {
    accepts(form.boolOr("partial"), "partial", "partial");
    accepts(form.boolOr("partial"), '"partial"', "partial");
    accepts(form.boolOr("partial"), "false", false);
    refuses(form.boolOr("partial"), '"true"', "Partial", "1");
  });
});

describe("form.int", () => {
  it("takes JSON integers", () => {
    accepts(form.int(), "5", 5);
    accepts(form.int(), "-3", -3);
    accepts(form.int(), " 12\n", 12);
    accepts(form.int(), "10000000000000000", 1e16);
    expect(Object.is(form.int().decode("x", "-0"), 0)).to.equal(true);
  });

  it("refuses other spellings of numbers", () => {
    refuses(
      form.int(),
      "5.0",
      "1e3",
      "+5",
      '"5"',
      "true",
      "abc",
      "",
      "null",
      "05",
      "0x1",
      "--1",
      "5 5",
      "\u00a05",
      "५",
    );
  });

  it("refuses numbers outside of its range, of any length", () => {
    refuses(form.int(), "10000000000000001000", "-99999999999999999999", "9".repeat(400));
    refuses(form.int({ min: 1, max: 10 }), "0", "11");
    accepts(form.int({ min: 1, max: 10 }), "10", 10);
  });

  it("also takes listed words, bare or as JSON strings", () => {
    const days = form.intOr(["realm_default", "unlimited"], { min: 1 });
    accepts(days, "30", 30);
    accepts(days, "unlimited", "unlimited");
    accepts(days, '"realm_default"', "realm_default");
    refuses(days, "0", '"30"', "Unlimited", "[1]", "1.0", "true", "");
  });
});

describe("form.id", () => {
  it("maps an ID that no column can hold to 0", () => {
    accepts(form.id(), "7", 7);
    for (const text of ["0", "-1", "2147483648", "9223372036854775808", "9".repeat(400)])
      accepts(form.id(), text, 0);
    refuses(form.id(), "7.0", '"7"', "x", "");
  });
});

describe("form.json", () => {
  const ids = form.json(z.array(shape.id));

  it("takes JSON of the shape", () => {
    accepts(ids, " [1, 2]\n", [1, 2]);
    accepts(ids, "[]", []);
    accepts(ids, "[99999999999999999999]", [0]);
    accepts(
      form.json(z.object({ new: z.union([z.int(), z.object({ a: z.array(z.int()) })]) })),
      '{"new":{"a":[1]}}',
      {
        new: { a: [1] },
      },
    );
    accepts(form.json(z.array(z.string())), '["a.b","1e3 \\" 5.0","e"]', ["a.b", '1e3 " 5.0', "e"]);
    accepts(form.json(z.array(z.boolean())), "[true,false]", [true, false]);
  });

  it("refuses JSON of another shape, a wrong element anywhere, and malformed JSON", () => {
    refuses(ids, "5", "{}", '"[1]"', "null", "true", "", "abc", "[1", "[1,]", "[1,2] x", "1,2");
    refuses(ids, '[1,"2"]', "[1,true]", "[1,null]", "[[1]]", "[1.5]");
    refuses(form.json(z.object({ a: z.boolean() })), '{"a":"true"}', '{"a":1}', "{}", "[]");
  });

  it("refuses integers written as fractions or with exponents", () => {
    refuses(ids, "[5.0]", "[1e3]", "[1E3]", "[5.0e0]");
    accepts(form.json(z.array(z.number()), { fractions: true }), "[0.5,1e3]", [0.5, 1000]);
  });

  it("refuses more values than can be checked without blocking the event loop", () => {
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
    expect(form.json(z.array(z.int())).decode("x", numbers(20_000))).to.have.length(20_000);
    refuses(
      form.json(z.array(z.int())),
      numbers(20_001),
      `["${",".repeat(20_000)}",${"{},".repeat(20_000)}1]`,
    );
    accepts(form.json(z.string()), JSON.stringify(",".repeat(30_000)), ",".repeat(30_000));
  });

  it("stops at the first wrong item of a long list", () => {
    let looks = 0;
    const even = z.int().refine((value) => ++looks > 0 && value % 2 === 0, "must be even");
    const odd = [...Array<number>(150).fill(2), ...Array<number>(19_000).fill(1)];
    const numbers = form.json(z.array(even));
    expect(() => numbers.decode("x", JSON.stringify(odd))).to.throw(
      ApiError,
      "x is not usable: must be even (at 150)",
    );
    expect(looks).to.equal(151);
    const even150 = odd.slice(0, 150);
    expect(numbers.decode("x", JSON.stringify(even150))).to.deep.equal(even150);
    const pairs = form.json(z.array(z.object({ a: z.object({ b: z.boolean() }) })));
    expect(() =>
      pairs.decode("x", JSON.stringify(Array.from({ length: 200 }, () => ({ a: { b: 1 } })))),
    ).to.throw(ApiError, "(at 0.a.b)");
  });

  it("refuses hostile nesting without running out of stack", () => {
    refuses(
      form.json(z.unknown()),
      "[".repeat(1_000_000),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    );
    refuses(form.json(z.unknown()), `${'{"a":'.repeat(70)}1${"}".repeat(70)}`);
    expect(form.json(z.unknown()).decode("x", `${"[".repeat(60)}${"]".repeat(60)}`)).to.be.an(
      "array",
    );
  });

  it("refuses text that the database cannot hold, in values and in keys", () => {
    const anything = form.json(z.unknown());
    refuses(anything, '["a\\u0000"]', '{"\\u0000":1}', '["\\ud800"]', '{"a":["\\udc00x"]}');
    accepts(anything, '["\\ud83d\\ude00"]', ["😀"]);
    accepts(anything, '["\\\\u0000"]', ["\\u0000"]);
    accepts(form.json(z.unknown(), { anyText: true }), '["\\u0000"]', ["\0"]);
  });

  it("lets no key reach the prototype of an object", () => {
    form.json(z.record(z.string(), z.unknown())).decode("x", '{"__proto__":{"polluted":true}}');
    expect({}).to.not.have.property("polluted");
  });
});
