import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestDatabase, schemaDiff, type TestDatabase } from "@carillon/testkit";
import { expect } from "chai";

const schema = fileURLToPath(new URL("../../prisma/schema.prisma", import.meta.url));
const noDifference = "-- This is an empty migration.";

describe("migrations and schema", () => {
  let database: TestDatabase;
  let folder: string;

  before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), "carillon-schema-"));
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const changed = async (change: (text: string) => string) => {
    const text = await readFile(schema, "utf8");
    const path = join(folder, "schema.prisma");
    await writeFile(path, change(text));
    expect(change(text), "the change found nothing to change").not.to.equal(text);
    return path;
  };

  it("agree: a migrated database matches the schema", async () => {
    const lacking = (await schemaDiff(schema, database.url, "database")).trim();
    // Not compared as texts: a text diff has a sign before each line, and this difference is to be copied into a
    // migration.
    if (lacking !== noDifference) expect.fail(`the migrations lack this SQL:\n\n${lacking}\n`);
  });

  it("would differ by a column, a type, an index or a key", async () => {
    const cases: Array<[(text: string) => string, RegExp]> = [
      [(text) => text.replace("deactivated ", "retired     "), /ADD COLUMN +"retired"/],
      [(text) => text.replace("@db.VarChar(40)", "@db.VarChar(41)"), /VARCHAR\(41\)/],
      [(text) => text.replace("@@index([recipientId, id])", ""), /DROP INDEX/],
      [
        (text) => text.replace("@@unique([realmId, memberHash])", "@@index([realmId, memberHash])"),
        /CREATE INDEX "recipients/,
      ],
    ];
    for (const [change, difference] of cases) {
      expect(await schemaDiff(await changed(change), database.url, "database")).to.match(
        difference,
      );
    }
  });
});
