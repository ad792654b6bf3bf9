import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { packed } from "./packed.ts";

describe("packed", () => {
  const db = useDatabase();

  const read = async (type: string, array: Buffer) => {
    const [row] = await db.rows<{ items: unknown }>(
      `SELECT coalesce(json_agg(item ORDER BY place), '[]') AS items
       FROM unnest($1::${type}[]) WITH ORDINALITY AS given (item, place)`,
      [array],
    );
    return row?.items;
  };

  it("sends arrays unchanged", async () => {
    const texts = [
      "",
      'a "quoted" \\ {text},',
      "NULL",
      null,
      "Grüße, 東京 🦉",
      "x".repeat(100_000),
    ];
    expect(await read("text", packed.texts(texts))).to.deep.equal(texts);
    const bigints = [0, 1, -1, null, 2 ** 31, 2 ** 32, -(2 ** 32) - 5, Number.MAX_SAFE_INTEGER];
    expect(await read("bigint", packed.bigints(bigints))).to.deep.equal(bigints);
    const ints = [0, null, -1, 2 ** 31 - 1, -(2 ** 31)];
    expect(await read("int", packed.ints(ints))).to.deep.equal(ints);
    const bools = [true, false, true];
    expect(await read("bool", packed.bools(bools))).to.deep.equal(bools);
    const jsons = [{ a: ["b", 1, null] }, null, "text"];
    const given = jsons.map((value) => (value === null ? null : JSON.stringify(value)));
    expect(await read("json", packed.jsons(given))).to.deep.equal(jsons);
    const byteas = [Buffer.from([0, 255, 92]), Buffer.alloc(0), Buffer.alloc(300, 1)];
    const hex = byteas.map((value) => `\\x${value.toString("hex")}`);
    expect(await read("bytea", packed.byteas(byteas))).to.deep.equal(hex);
    const uuids = ["00000000-0000-4000-8000-0000000000ff", "ffffffff-ffff-ffff-ffff-ffffffffffff"];
    const sixteen = uuids.map((value) => Buffer.from(value.replaceAll("-", ""), "hex"));
    expect(await read("uuid", packed.uuids(sixteen))).to.deep.equal(uuids);
  });

  it("sends empty arrays", async () => {
    expect(await read("text", packed.texts([]))).to.deep.equal([]);
    expect(await read("bigint", packed.bigints([]))).to.deep.equal([]);
  });

  it("is refused with a cast to another type, and for an invalid item", async () => {
    const wrong: ReadonlyArray<readonly [string, Buffer]> = [
      ["bigint", packed.ints([1])],
      ["int", packed.texts(["1"])],
      ["json", packed.jsons(["{"])],
      ["text", packed.texts(["a\0b"])],
      ["uuid", packed.byteas([Buffer.alloc(16)])],
      ["uuid", packed.uuids([Buffer.alloc(15)])],
    ];
    for (const [type, array] of wrong) {
      const refused = await read(type, array).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refused, type).to.be.an("error");
    }
    expect(() => packed.ints([2 ** 31])).to.throw(RangeError);
  });
});
