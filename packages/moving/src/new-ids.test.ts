import { expect } from "chai";
import type pg from "pg";

import { FoundIds, WantedIds } from "./new-ids.ts";

describe("the ids that an import has looked up", () => {
  const client = { query: async () => ({ rows: [] }) } as unknown as pg.Client;
  const found = () =>
    new FoundIds(client, 1, {
      sourceUrl: undefined,
      newUrl: "http://new",
      realm: { old: 1, new: 2 },
    });

  it("are kept between two look-ups of a slice, however many they are, and forgotten after it", async () => {
    const ids = found();
    for (let old = 1; old <= 500_001; old++) ids.put("users", old, old + 7);
    const wanted = new WantedIds(ids);
    wanted.of("channels", 3);
    await ids.load(wanted);
    expect(ids.of("users", 500_001)).to.equal(500_008);
    ids.forgetIfMany();
    expect(ids.of("users", 500_001)).to.equal(undefined);
  });

  it("are kept between slices while they are few", () => {
    const ids = found();
    ids.put("users", 1, 8);
    ids.forgetIfMany();
    expect(ids.of("users", 1)).to.equal(8);
  });
});
