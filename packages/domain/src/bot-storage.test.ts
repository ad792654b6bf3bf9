import { bot, organization, rowsRead, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { storeEntries } from "./bot-storage.ts";

describe("the statement that stores entries of a bot", () => {
  const db = useDatabase();

  it("looks keys up by index however much is stored, with and without table statistics", async () => {
    const { member } = await organization(db);
    const own = await bot(db, member);
    const json = (name: string) => JSON.stringify(Array.from({ length: 50 }, (_, n) => name + n));
    const values = [own.id, json("key "), json("value ")];
    await db.rows(
      `INSERT INTO bot_storage_parts (bot_id, key_digest, name, value, size)
       SELECT $1, sha256(convert_to('key ' || n, 'UTF8')), 'key ' || n, 'v', 7 FROM generate_series(1, 20000) AS n`,
      [own.id],
    );
    for (const analyze of [false, true]) {
      if (analyze) await db.rows("ANALYZE bot_storage_parts");
      const { read } = await rowsRead(db, storeEntries, values, "bot_storage_parts");
      expect(read).to.be.at.most(200);
    }
  });
});
