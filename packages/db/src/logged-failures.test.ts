import { captureLog, createTestDatabase, type TestDatabase } from "@carillon/testkit";
import { expect } from "chai";
import type { Database } from "./database.ts";

const text = 'Dear "diary", nobody reads this';

/** Statements that fail on a text, as far as PostgreSQL and Prisma can tell of it. */
const failures: Readonly<Record<string, (db: Database) => Promise<unknown>>> = {
  "a text that is no number": (db) => db.rows("SELECT $1::text::int", [text]),
  "a text that is no time": (db) => db.rows("SELECT $1::text::timestamptz", [text]),
  "a text that is no document": (db) => db.rows("SELECT $1::text::jsonb", [text]),
  "a text that is no search": (db) => db.rows("SELECT to_tsquery('simple', $1)", [text]),
  "a parameter of another type": (db) => db.rows("SELECT $1::int", [text]),
  "a row that is there already": (db) =>
    db.rows(
      `WITH a AS (INSERT INTO clients (name) VALUES ($1)) INSERT INTO clients (name) VALUES ($1)`,
      [text],
    ),
  "a raw statement through Prisma": (db) => db.prisma.$queryRaw`SELECT ${text}::text::int`,
  "a value of another type through Prisma": (db) =>
    db.prisma.counter.findMany({ where: { value: text as unknown as number } }),
};

describe("a failing statement", () => {
  let database: TestDatabase;
  let db: Database;

  before(async () => {
    database = await createTestDatabase();
    db = await database.connect({ max: 2, name: "test" });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  for (const [name, fail] of Object.entries(failures)) {
    it(`has no text of a message in its line of the log: ${name}`, async () => {
      const { log, lines, text: written } = captureLog();
      const err: unknown = await fail(db).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(err).to.be.instanceOf(Error);
      log.error({ err }, "a request failed unexpectedly");
      expect(lines).to.have.length(1);
      expect(lines[0]?.["err"]).to.include.keys("type", "message", "stack");
      expect(written()).not.to.match(/diary|nobody reads/);
    });
  }
});
