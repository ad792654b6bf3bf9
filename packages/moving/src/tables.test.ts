import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { scopeOf } from "./scope.ts";
import { movedTables, unmovedTables } from "./tables.ts";

/** Columns of numbers whose names end like ids, and what they are. */
const noIds: Readonly<Record<string, string>> = {
  "channels.message_retention_days": "days",
};

describe("the tables of an export", () => {
  const db = useDatabase();

  it("are all tables of the database, but for those that are left out with a reason", async () => {
    const rows = await db.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition ORDER BY 1`,
    );
    const named = [...Object.keys(movedTables), ...Object.keys(unmovedTables)];
    expect(named.toSorted()).to.deep.equal(rows.map(({ name }) => name).toSorted());
    for (const reason of Object.values(unmovedTables)) expect(reason).to.have.length.above(10);
  });

  it("have a new id in every column that refers to a row", async () => {
    const rows = await db.rows<{
      name: string;
      column: string;
      to: string | null;
      sealed: boolean;
    }>(
      `SELECT c.relname AS name, a.attname AS column,
         (SELECT max(f.relname) FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
          WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY(k.conkey) AND f.relname <> 'realms') AS to,
         a.attname LIKE '%sealed' AS sealed
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
         AND NOT a.attisdropped AND a.attname <> 'realm_id'
         AND (a.atttypid::regtype::text IN ('integer', 'bigint', 'integer[]', 'bigint[]') AND a.attname ~ '(^|_)(id|ids|by)$'
           OR a.attname ~ '(sealed|digest)$' OR EXISTS (
             SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY(k.conkey)))`,
    );
    const wrong = rows.flatMap(({ name, column, to, sealed }) => {
      const table = movedTables[name];
      if (!table || `${name}.${column}` in noIds) return [];
      const declared = table.columns[column];
      const groups = to === "named_user_group" ? "user_group" : to;
      const isRight = sealed
        ? declared?.kind === "sealed"
        : declared !== undefined &&
          (groups === null || declared.kind !== "ref" || declared.to === groups);
      return isRight ? [] : [`${name}.${column}`];
    });
    expect(wrong).to.deep.equal(["bot_storage_parts.key_digest"]);
  });

  it("name columns that exist, and rows that can be found", async () => {
    const rows = await db.rows<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const present = new Set(rows.map(({ name }) => name));
    const unknown = Object.entries(movedTables).flatMap(([table, { columns }]) =>
      Object.keys(columns).flatMap((column) =>
        present.has(`${table}.${column}`) ? [] : [`${table}.${column}`],
      ),
    );
    expect(unknown).to.deep.equal([]);
    for (const table of Object.keys(movedTables))
      await db.rows(`SELECT FROM "${table}" WHERE ${scopeOf(table).replaceAll("$1", "0")}`);
  });
});
