import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { wantedChecksums } from "../../scripts/lib/checksums.mjs";
import { lockedTables } from "./locked-tables.ts";
import { addedColumns, removals } from "./removals.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The last migration of the first release. Earlier ones never ran beside another build. */
const firstRelease = "0029";
/** The last migration that locked several tables. */
const lastOfSeveralTables = "202611272313";

describe("the migrations' files", () => {
  it("match their checksums", async () => {
    for (const [file, text] of wantedChecksums(root)) {
      expect(await readFile(join(root, file), "utf8"), `${file}: npm run generate`).to.equal(text);
      expect(text.split("\n").length, file).to.be.greaterThan(1);
    }
  });

  it("refuse new checksums when a listed migration has changed or is missing", async () => {
    const top = await mkdtemp(join(tmpdir(), "carillon-checksums-"));
    try {
      for (const part of ["prisma", "packages/push"]) {
        await cp(join(root, part, "migrations"), join(top, part, "migrations"), {
          recursive: true,
        });
        await cp(join(root, part, "migrations.sha256"), join(top, part, "migrations.sha256"));
      }
      await cp(
        join(top, "prisma/migrations/0001_initial"),
        join(top, "prisma/migrations/9999_new"),
        {
          recursive: true,
        },
      );
      expect(wantedChecksums(top).get("prisma/migrations.sha256")).to.match(
        /^[0-9a-f]{64} {2}migrations\/0001_initial\/migration\.sql\n(.*\n)+[0-9a-f]{64} {2}migrations\/9999_new\/migration\.sql\n$/,
      );
      await writeFile(join(top, "prisma/migrations/0001_initial/migration.sql"), "SELECT 1;\n");
      expect(() => wantedChecksums(top)).to.throw(
        "prisma/migrations/0001_initial/migration.sql was changed or deleted",
      );
      await rm(join(top, "prisma/migrations/0001_initial"), { recursive: true });
      expect(() => wantedChecksums(top)).to.throw(
        "0001_initial/migration.sql was changed or deleted",
      );
    } finally {
      await rm(top, { recursive: true });
    }
  });

  it("only add, unless their name says otherwise", async () => {
    const list = await readFile(join(root, "prisma/migrations.sha256"), "utf8");
    const files = list.match(/migrations\/(?:\d{4}|\d{12})_\w+\/migration\.sql/g) ?? [];
    expect(files).not.to.deep.equal([]);
    // Unique indexes of large tables are made in migrations of their own.
    const added = new Set<string>();
    for (const file of files) {
      const [, number = "", after] = /\/(\d+)_(after_\d+_)?/.exec(file) ?? [];
      if (number <= firstRelease || after) continue;
      const sql = await readFile(join(root, "prisma", file), "utf8");
      expect(
        removals(sql, added),
        `${file}: see "Migrations" in docs/development/data.md`,
      ).to.deep.equal([]);
      for (const column of addedColumns(sql)) added.add(column);
    }
  });

  it("lock one existing table each, so that they cannot deadlock with requests", async () => {
    const list = await readFile(join(root, "prisma/migrations.sha256"), "utf8");
    const files = list.match(/migrations\/\d{12}_\w+\/migration\.sql/g) ?? [];
    expect(files).not.to.deep.equal([]);
    for (const file of files) {
      if ((/\d{12}/.exec(file)?.[0] ?? "") <= lastOfSeveralTables) continue;
      const tables = lockedTables(await readFile(join(root, "prisma", file), "utf8"));
      expect(tables.length, `${file} locks ${tables.join(", ")}`).to.be.at.most(1);
    }
  });
});

describe("the tables that a migration locks", () => {
  it("are those that it alters or refers to, except its own", () =>
    expect(
      lockedTables(`CREATE TABLE parts (id int REFERENCES "realms" (id));
        ALTER TABLE "parts" ADD CONSTRAINT p FOREIGN KEY (id) REFERENCES "users"("id");
        ALTER TABLE ONLY messages ADD COLUMN x int, ADD COLUMN y int; -- ALTER TABLE groups`),
    ).to.deep.equal(["realms", "users", "messages"]));
});

describe("the removals of a migration", () => {
  const taken: Record<string, string> = {
    "a column": 'ALTER TABLE "users" DROP COLUMN "x"',
    "a column, among others": "ALTER TABLE users ADD COLUMN y int,\n  DROP COLUMN IF EXISTS x",
    "a table": "DROP TABLE users",
    "a name": "ALTER TABLE users RENAME COLUMN x TO y",
    "a table's name": "alter table users rename to people",
    "a type": "ALTER TABLE users ALTER COLUMN x SET DATA TYPE bigint",
    "a type, briefly": "ALTER TABLE users ALTER x TYPE bigint",
    "leave to be null": "ALTER TABLE users ALTER COLUMN x SET NOT NULL",
    "a default": "ALTER TABLE users ALTER COLUMN x DROP DEFAULT",
    "rows without the new column": "ALTER TABLE users ADD COLUMN x int NOT NULL",
    values: "ALTER TABLE users ADD CONSTRAINT few CHECK (x < 3)",
    "equal rows": "CREATE UNIQUE INDEX one ON users (x)",
    "a function": "DROP FUNCTION f(int)",
  };
  for (const [what, sql] of Object.entries(taken)) {
    it(what, () =>
      expect(removals(`-- CREATE TABLE users;\n${sql};\nSELECT 1;`)).to.deep.equal([sql]),
    );
  }

  it("are empty if it only adds, or if it created the table itself", () => {
    const added = `
      CREATE TABLE "parts" ("id" int NOT NULL, CONSTRAINT few CHECK (id < 3));
      CREATE UNIQUE INDEX one ON "parts" (id);
      ALTER TABLE parts ADD CONSTRAINT p FOREIGN KEY (id) REFERENCES users (id), ADD COLUMN c int NOT NULL;
      -- DROP TABLE users; is for the next one
      ALTER TABLE users ADD COLUMN x int, ADD COLUMN y text NOT NULL DEFAULT 'a; DROP TABLE b';
      ALTER TABLE users SET (fillfactor = 80);
      CREATE INDEX later ON users (x) WHERE x IS NOT NULL;
      CREATE UNIQUE INDEX own ON users (x) WHERE x IS NOT NULL;
      DROP INDEX slow;
      UPDATE users SET x = 1 WHERE x IS NULL;`;
    expect(removals(added)).to.deep.equal([]);
  });
});
