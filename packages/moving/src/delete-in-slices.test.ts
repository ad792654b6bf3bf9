import { channel, organization, pastMessages, rowsRead, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { onConnection } from "./connect.ts";
import { deleteInSlices, deletionOf, planByIndex } from "./delete-in-slices.ts";
import { doomedTables } from "./discard-import.ts";

describe("deleteInSlices", () => {
  const db = useDatabase();

  it("reads the rows of a slice only, in tables without statistics", async () => {
    const org = await organization(db);
    const other = await organization(db);
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const elsewhere = await channel(db, other.realm, { subscribers: [other.member] });
    await pastMessages(db, elsewhere, other.member, { count: 2_000 });
    const ids = await pastMessages(db, room, org.member, { count: 2_000 });
    await pastMessages(db, elsewhere, other.member, { count: 2_000 });
    const [first = 0] = ids;
    const last = ids.at(-1) ?? 0;
    for (const [table, key, from, to, limit] of [
      ["user_messages", ["user_id", "message_id"], org.owner.id, org.member.id, 10],
      ["messages", ["id"], first, last, 10],
      // The last slice, for which there are not enough rows.
      ["messages", ["id"], ids.at(-5) ?? 0, last, 10],
    ] as const) {
      const { condition = "" } = doomedTables.find((one) => one.table === table) ?? {};
      const range = { from, to };
      const text = deletionOf({ table, key, condition, value: org.realm.id, range }, false);
      const { read } = await db.transaction(async (tx) => {
        for (const setting of planByIndex.split("; ")) await tx.rows(setting);
        return rowsRead(tx, text, [org.realm.id, from, limit, to], table);
      });
      // Ten rows are selected, and ten are deleted.
      expect(read, table).to.be.within(10, 30);
    }
  });

  it("deletes few rows in a transaction if a row takes long, and at most the given number", async () => {
    await db.rows("CREATE TABLE slow (id int PRIMARY KEY)");
    await db.rows("CREATE TABLE quick (id int PRIMARY KEY)");
    await db.rows("INSERT INTO slow SELECT generate_series(1, 24)");
    await db.rows("INSERT INTO quick SELECT generate_series(1, 24)");
    await db.rows(
      `CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_sleep(0.1); RETURN OLD; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER take_long BEFORE DELETE ON slow FOR EACH ROW EXECUTE FUNCTION take_long()",
    );
    const range = { from: 1, to: 24 };
    const sizes = async (table: string, rows?: number) => {
      const found: number[] = [];
      let before = 0;
      const progress = (_: string, done: number) => {
        found.push(done - before);
        before = done;
      };
      const doomed = { table, key: ["id"], condition: "id > $1", value: 0, range } as const;
      await onConnection(db.url, (client) => deleteInSlices(client, doomed, { rows, progress }));
      expect(await db.rows(`SELECT FROM ${table}`), table).to.have.length(0);
      return found;
    };
    expect(Math.max(...(await sizes("slow")))).to.be.at.most(4);
    const found = await sizes("quick", 5);
    expect(Math.max(...found)).to.be.at.most(5);
    expect(found.length).to.be.below(24);
  });
});
