import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

import { expect } from "chai";

import { isLarge, jsonSlices } from "./json-slices.ts";

describe("JSON in slices", () => {
  const written = async (value: unknown) => {
    const slices = [];
    for await (const text of jsonSlices(value)) slices.push(text);
    return slices;
  };
  const long = 'ä\u2028"\\'.repeat(25_000);
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `Somebody ${id}` }));

  for (const [what, value] of Object.entries({
    nothing: {},
    "a small object": { a: 1, b: [true, null, "x"], c: { d: undefined } },
    "a long list": { many, "the last": 1 },
    "a list in a list": [[many], many.map(({ id }) => id)],
    "what JSON leaves out": {
      gone: undefined,
      also: () => 1,
      many: [undefined, () => 1, ...many],
      at: new Date(0),
      nan: Number.NaN,
    },
    "long texts": { a: long, b: [long, long], c: { d: long } },
    "numbers by their names": Object.fromEntries(many.map(({ id }) => [id, { id, long: "x" }])),
  }))
    it(`equal the output of JSON.stringify: ${what}`, async () => {
      expect((await written(value)).join("")).to.equal(JSON.stringify(value));
    });

  it("are small, for long and deeply nested lists too", async () => {
    const subscribers = Array.from({ length: 200_000 }, (_, id) => id);
    for (const value of [many, { a: { b: { c: many } } }, [{ subscribers }, { subscribers }]]) {
      const slices = await written(value);
      expect(slices.length).to.be.greaterThan(5);
      for (const text of slices) expect(text.length).to.be.lessThan(140_000);
    }
  });

  it("yield to the event loop between slices", async () => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const slices = await written(Array.from({ length: 20 }, () => many));
    clearInterval(others);
    expect(turns).to.be.greaterThan(0);
    expect(slices.length).to.be.greaterThan(100);
  });

  it("are made no faster than they are consumed, and stop with their consumer", async () => {
    let looked = 0;
    const watched = new Proxy(
      Array.from({ length: 200 }, () => many),
      {
        get(target, key) {
          looked++;
          return Reflect.get(target, key) as unknown;
        },
      },
    );
    const stream = Readable.from(jsonSlices({ watched }), { objectMode: false });
    await once(stream, "readable");
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(looked).to.be.lessThan(20);
    stream.destroy();
    await once(stream, "close");
    expect(looked).to.be.lessThan(20);
  });

  it("are used for large values only, with a check of bounded cost", () => {
    expect(isLarge({ a: "x".repeat(1_000), b: many.slice(0, 100) })).to.equal(false);
    expect(isLarge({ many, more: many })).to.equal(true);
    expect(isLarge({ a: long, b: long })).to.equal(true);
    let looked = 0;
    const watched = new Proxy(many, {
      get(target, key) {
        looked++;
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(isLarge({ many, watched })).to.equal(true);
    expect(looked).to.be.lessThan(10_000);
  });
});
