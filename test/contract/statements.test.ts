import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  column,
  declaredStatements,
  statement,
  type Columns,
  type DeclaredStatement,
} from "@carillon/db";
import { createTestDatabase, describeStatement, type TestDatabase } from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { readFiles } from "../boundaries/source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Loads every file that declares statements: they are known from then on. */
async function everyStatement(): Promise<ReadonlyArray<DeclaredStatement<unknown>>> {
  const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
  const declaring = sources.filter(({ text }) => /\bstatement\(/.test(text));
  for (const { path } of declaring) await import(pathToFileURL(join(root, path)).href);
  return declaredStatements();
}

describe("declared statements", () => {
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

  /** What is wrong with the columns that are declared of the rows, a line each. */
  async function mistakes(text: string, declared: Columns): Promise<string[]> {
    const columns = await describeStatement(client, text).catch((error: Error) => error.message);
    if (typeof columns === "string") return [`PostgreSQL refuses it: ${columns}`];
    const found = new Set(columns.map(({ name }) => name));
    const missing = Object.keys(declared).filter((name) => !found.has(name));
    return [
      ...missing.map((name) => `there is no column ${name}`),
      ...columns.flatMap(({ name, type, nullable }) => {
        const claim = declared[name];
        if (!claim) return [`${name} is not declared`];
        return [
          ...(claim.types.includes(type) ? [] : [`${name} is ${type}`]),
          ...(nullable === true && !claim.nullable && !claim.ruledOut
            ? [`${name} may be null`]
            : []),
          ...(nullable === false && claim.ruledOut
            ? [`${name} needs nothing to rule out null`]
            : []),
          ...(nullable === false && claim.nullable ? [`${name} is never null`] : []),
        ];
      }),
    ];
  }

  it("have the columns that they say, of these types, null where they may be", async () => {
    const statements = await everyStatement();
    const wrong: string[] = [];
    for (const { name, text, columns } of statements)
      wrong.push(...(await mistakes(text, columns)).map((mistake) => `${name}: ${mistake}`));
    expect(wrong).to.deep.equal([]);
    expect(statements.length).to.be.greaterThan(10);
  });

  const cases: Array<[string, string, Columns, string[]]> = [
    ["a missing column", "SELECT id FROM users", {}, ["id is not declared"]],
    [
      "a column of another name",
      "SELECT id FROM users",
      { ID: column.int },
      ["there is no column ID", "id is not declared"],
    ],
    ["another type", "SELECT id FROM messages", { id: column.int }, ["id is int8"]],
    [
      "a column that may be null",
      "SELECT bot_owner_id FROM users",
      { bot_owner_id: column.int },
      ["bot_owner_id may be null"],
    ],
    [
      "a column that is never null",
      "SELECT id FROM users",
      { id: column.int.orNull() },
      ["id is never null"],
    ],
    [
      "a null that is ruled out twice",
      "SELECT id FROM users",
      { id: column.int.neverNullHere() },
      ["id needs nothing to rule out null"],
    ],
    [
      "the missing side of a join",
      "SELECT u.id, c.name FROM users u LEFT JOIN channels c ON c.id = u.default_sending_channel_id",
      { id: column.int, name: column.text },
      ["name may be null"],
    ],
    [
      "the other missing side",
      "SELECT u.id, c.name FROM channels c RIGHT JOIN users u ON c.id = u.default_sending_channel_id",
      { id: column.int, name: column.text },
      ["name may be null"],
    ],
    [
      "a table that is not there",
      "SELECT FROM nowhere",
      {},
      ['PostgreSQL refuses it: relation "nowhere" does not exist'],
    ],
  ];
  for (const [what, text, columns, expected] of cases)
    it(`would be told of ${what}`, async () => {
      expect(await mistakes(text, columns)).to.deep.equal(expected);
    });

  it("are told of a null in an expression where they run in a test", async () => {
    const null_ = statement({
      name: "a-null-that-is-not-declared",
      text: "SELECT sum(id)::int AS total FROM users WHERE false",
      row: { total: column.int },
    });
    const db = await database.connect();
    const refusal = await db.rows(null_).catch((error: Error) => error.message);
    expect(refusal).to.match(/total is null/);
  });

  it("have names that no other statement has, declared or not", async () => {
    const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
    const names = sources.flatMap(({ text }) =>
      [...text.matchAll(/\bname:\s*"([^"]+)",\s*text:/g)].map((match) => match[1]),
    );
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    expect(twice).to.deep.equal([]);
    expect(names.length).to.be.greaterThan(100);
  });

  it("are refused a name that is taken", () => {
    const name = declaredStatements()[0]?.name ?? "";
    expect(() => statement({ name, text: "SELECT 1", row: {} })).to.throw(/two statements named/);
  });
});
