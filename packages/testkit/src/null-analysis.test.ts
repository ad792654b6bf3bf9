import { expect } from "chai";
import pg from "pg";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { describeStatement } from "./described-statement.ts";
import { describeRows, writeRows } from "./row-types.ts";

describe("the description of a statement", () => {
  let database: TestDatabase;
  let client: pg.Client;

  before(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const owners = "users u LEFT JOIN users o ON o.id = u.bot_owner_id";
  const neverNull: Readonly<Record<string, string>> = {
    "a column that is NOT NULL": "SELECT email FROM users",
    "a cast of it, and a function of it":
      "SELECT floor(extract(epoch FROM date_joined))::int FROM users",
    "arithmetic of such columns": "SELECT (u.id + 1) * u.role FROM users u",
    "a comparison of such columns": "SELECT u.id = u.role AND NOT u.is_bot FROM users u",
    "a constant, and the time": "SELECT 'a' || now()::text FROM users",
    "a count": "SELECT count(*)::int FROM users",
    "a count with a filter": "SELECT count(*) FILTER (WHERE is_bot) FROM users",
    "EXISTS alone": "SELECT EXISTS (SELECT FROM users WHERE id = $1)",
    "EXISTS about a row":
      "SELECT EXISTS (SELECT FROM users b WHERE b.bot_owner_id = u.id) FROM users u",
    "IS NULL": "SELECT bot_owner_id IS NULL FROM users",
    "COALESCE with a constant": "SELECT coalesce(sum(id), 0) FROM users",
    "COALESCE with a constant, of an optional side": `SELECT coalesce(o.id, 0) FROM ${owners}`,
    "ARRAY of a subquery":
      "SELECT ARRAY(SELECT b.id FROM users b WHERE b.bot_owner_id = u.id) FROM users u",
    "CASE whose results are not null":
      "SELECT CASE WHEN bot_owner_id = 1 THEN id ELSE role END FROM users",
    "an aggregate of a group": "SELECT max(id) FROM users GROUP BY role",
    "an array of a group": "SELECT array_agg(bot_owner_id) FROM users GROUP BY role",
    "a subquery that counts":
      "SELECT (SELECT count(*) FROM users b WHERE b.bot_owner_id = u.id) FROM users u",
    "a column that both branches of a UNION have":
      "SELECT id FROM users UNION ALL SELECT id FROM realms",
    "what an INSERT returns": "INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id",
    "what a CTE has changed": "WITH c AS (UPDATE users SET role = 1 RETURNING id) SELECT id FROM c",
    "the result of a function that returns nothing": "SELECT pg_advisory_xact_lock(1)",
  };
  for (const [what, text] of Object.entries(neverNull))
    it(`rules out null for ${what}`, async () => {
      const columns = await describeStatement(client, text);
      expect(columns.map(({ nullable }) => nullable)).to.deep.equal([false]);
    });

  const nullable: Readonly<Record<string, string>> = {
    "a column that may be null": "SELECT bot_owner_id FROM users",
    "a function of it":
      "SELECT extract(epoch FROM delivered_at) FROM (SELECT NULL::timestamptz AS delivered_at) x",
    "a parameter": "SELECT lower($1)",
    "an optional side": `SELECT o.id FROM ${owners}`,
    "the other optional side":
      "SELECT o.id FROM users o RIGHT JOIN users u ON o.id = u.bot_owner_id",
    "arithmetic of an optional side": `SELECT o.id + 1 FROM ${owners}`,
    "a count of an optional side":
      "SELECT n.count + 1 FROM realms r LEFT JOIN (SELECT realm_id, count(*) FROM users GROUP BY realm_id) n ON n.realm_id = r.id",
    "an aggregate without groups": "SELECT max(id) FROM users",
    "an aggregate of a group with a filter":
      "SELECT array_agg(id) FILTER (WHERE is_bot) FROM users GROUP BY role",
    "an aggregate of nulls": "SELECT max(bot_owner_id) FROM users GROUP BY role",
    "a subquery that may find no row":
      "SELECT (SELECT b.id FROM users b WHERE b.bot_owner_id = u.id) FROM users u",
    "a subquery that counts groups":
      "SELECT (SELECT count(*) FROM users b WHERE b.bot_owner_id = u.id GROUP BY b.role) FROM users u",
    "CASE without ELSE": "SELECT CASE WHEN is_bot THEN id END FROM users",
    "CASE with a null result": "SELECT CASE WHEN is_bot THEN id ELSE bot_owner_id END FROM users",
    "a field of JSON": "SELECT settings->>'a' FROM users",
    "a UNION with a null": "SELECT id FROM users UNION ALL SELECT NULL ORDER BY 1",
    "a UNION with a null, in a subquery":
      "SELECT x.id + 1 FROM (SELECT id FROM users UNION ALL SELECT bot_owner_id FROM users) x",
    "an element of a list": "SELECT id FROM unnest($1::int[]) AS id",
  };
  for (const [what, text] of Object.entries(nullable))
    it(`does not rule out null for ${what}`, async () => {
      const columns = await describeStatement(client, text);
      expect(columns.map(({ nullable: may }) => may)).to.deep.equal([true]);
    });

  it("has no columns for a statement that returns none and has no plan", async () => {
    expect(await describeStatement(client, "LOCK TABLE users IN SHARE MODE")).to.deep.equal([]);
  });

  it("is written with TypeScript types", async () => {
    const rows = await describeRows(client, [
      { name: "two", text: 'SELECT id, bot_owner_id AS "the owner", settings FROM users' },
      { name: "one", text: "DELETE FROM users" },
    ]);
    expect(writeRows(rows).split("\n").slice(3, -1)).to.deep.equal([
      'declare module "@carillon/db" {',
      "  interface StatementRows {",
      "    one: {};",
      "    two: {",
      "      id: number;",
      '      "the owner": number | null;',
      "      settings: Json;",
      "    };",
      "  }",
      "}",
    ]);
  });

  it("says that a column is nullable if it is in one of a statement's texts", async () => {
    const rows = await describeRows(client, [
      { name: "one", text: "SELECT id FROM users" },
      { name: "one", text: "SELECT bot_owner_id AS id FROM users" },
      { name: "one", text: "SELECT id FROM users" },
    ]);
    expect(rows.get("one")).to.deep.equal([{ name: "id", type: "int4", nullable: true }]);
  });

  const refused: ReadonlyArray<readonly [string, readonly string[], RegExp]> = [
    [
      "a text that PostgreSQL refuses",
      ["SELECT FROM nowhere"],
      /one: PostgreSQL refuses it: relation "nowhere"/,
    ],
    [
      "a type that JavaScript has no value for",
      ["SELECT 1.5 AS half"],
      /one: cast half, which is numeric/,
    ],
    [
      "texts with other columns",
      ["SELECT 1 AS a", "SELECT 1 AS b"],
      /one: its texts have other columns/,
    ],
  ];
  for (const [what, texts, message] of refused)
    it(`refuses ${what}`, async () => {
      const statements = texts.map((text) => ({ name: "one", text }));
      const error = await describeRows(client, statements).catch((reason: Error) => reason.message);
      expect(error).to.match(message);
    });
});
