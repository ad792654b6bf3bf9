import {
  column,
  declaredStatements,
  statement,
  type Columns,
  type DeclaredStatement,
} from "@carillon/db";
import { eventPresenter } from "@carillon/domain";
import { queueStatements } from "@carillon/events";
import {
  createBouncerDatabase,
  createTestDatabase,
  describeStatement,
  type BouncerDatabase,
  type TestDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { readFiles } from "../boundaries/source-files.ts";
import { everyStatement } from "./every-statement.ts";

/** Matches a named statement, however its name is made: the text before the object, and the name. */
const namedText = /(\S*)\s*\{\s*name(?::\s*([^,\n]+))?,(?:\s*\/\/[^\n]*\n)*\s*text(?::|,|\s*\})/g;

/** Files with named statements that are not declared, and why. */
const undeclared: Readonly<Record<string, string>> = {
  "packages/db/src/composed.ts": "declares",
  "packages/db/src/sql.ts": "hands what is declared to the driver",
  "packages/db/src/statement.ts": "declares",
  "packages/db/src/in-one-statement.ts":
    "makes one statement of several that are declared, as they meet",
  "packages/events/src/queue-lookup.ts":
    "is composed of what its caller says of accounts; it is described below as the gateway has it",
  "packages/testkit/src/described-statement.ts": "has statements described, which stay unnamed",
};

/** Returns the names of statements in a source that are not passed to `statement`. */
function undeclaredIn(text: string): string[] {
  return [...text.matchAll(namedText)].flatMap(([, before = "", name = "name"]) =>
    before.endsWith("statement(") ? [] : [name],
  );
}

describe("declared statements", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let bouncersDatabase: BouncerDatabase;
  let bouncersClient: pg.Client;

  const connected = async (connectionString: string) => {
    const made = new pg.Client({ connectionString });
    await made.connect();
    return made;
  };
  before(async () => {
    database = await createTestDatabase();
    client = await connected(database.url);
    bouncersDatabase = await createBouncerDatabase();
    bouncersClient = await connected(bouncersDatabase.url);
  });
  after(async () => {
    await client.end();
    await bouncersClient.end();
    await database.drop();
    await bouncersDatabase.drop();
  });

  /** The bouncer has its own database; the names of its statements begin with `bouncer`. */
  const ofBouncer = (name: string) => name.startsWith("bouncer-");

  /** The statement that the gateway runs at every poll. */
  async function ofPolls(): Promise<ReadonlyArray<DeclaredStatement<unknown>>> {
    const { accounts } = eventPresenter(await database.connect(), { url: "http://localhost" });
    return Object.values(queueStatements(accounts));
  }

  /** Returns the differences between declared and actual columns, one line each. */
  async function mistakes(text: string, declared: Columns, on = client): Promise<string[]> {
    const columns = await describeStatement(on, text).catch((error: Error) => error.message);
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
    const statements = [...(await everyStatement()), ...(await ofPolls())];
    const wrong: string[] = [];
    for (const { name, text, columns } of statements) {
      const found = await mistakes(text, columns, ofBouncer(name) ? bouncersClient : client);
      wrong.push(...found.map((mistake) => `${name}: ${mistake}`));
    }
    expect(wrong).to.deep.equal([]);
    expect(statements.length).to.be.greaterThan(140);
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
      [...text.matchAll(/\bname:\s*"([^"]+)",\s*(?:text|row):/g)].map((match) => match[1]),
    );
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    expect(twice).to.deep.equal([]);
    expect(names.length).to.be.greaterThan(100);
  });

  it("of the bouncer, and they alone, have names that begin with it", async () => {
    const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:statement|composed)\(\{\s*name:\s*"([^"]+)"/g)]
        .map(([, name = ""]) => name)
        .filter((name) => ofBouncer(name) !== /^apps\/(bouncer|cli\/src\/bouncer)\//.test(path)),
    );
    expect(wrong).to.deep.equal([]);
  });

  it("are all statements that have a name and a text of their own", async () => {
    const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
    const found = sources.flatMap(({ path, text }) =>
      undeclaredIn(text).map((name) => ({ path, name })),
    );
    const missed = found.filter(({ path }) => !(path in undeclared));
    expect(missed, "declare them with statement()").to.deep.equal([]);
    const paths = new Set(found.map(({ path }) => path));
    expect(Object.keys(undeclared).filter((path) => !paths.has(path))).to.deep.equal([]);
  });

  it("would be missed where a name and a text are handed on without columns", () => {
    expect(undeclaredIn('const one = { name: "one", text: "SELECT 1" };')).to.deep.equal(['"one"']);
    expect(
      undeclaredIn(
        'sql.rows<Row>(\n  {\n    name: "two",\n    // Why.\n    text: `SELECT 2`,\n  })',
      ),
    ).to.deep.equal(['"two"']);
    expect(undeclaredIn("(name: string, text: string) => ({ name, text })")).to.deep.equal([
      "name",
    ]);
    expect(undeclaredIn('statement({ name: "three", text: "SELECT 3", row: {} })')).to.deep.equal(
      [],
    );
  });

  it("are refused a name that is taken", () => {
    const name = declaredStatements()[0]?.name ?? "";
    expect(() => statement({ name, text: "SELECT 1", row: {} })).to.throw(/two statements named/);
  });
});
