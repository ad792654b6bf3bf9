import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { declaredStatements, type NamedStatement, notNull, statement } from "@carillon/db";
import { presentRowsFiles, readNotNull, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { readProductionFiles } from "../boundaries/source-files.ts";
import { describedRows, isOfBouncer } from "./statement-rows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Matches a named statement, however its name is made: the text before the object, and the name. */
const namedText = /(\S*)\s*\{\s*name(?::\s*([^,\n]+))?,(?:\s*\/\/[^\n]*\n)*\s*text(?::|,|\s*\})/g;

/** Files with named statements that are not declared, and why. */
const undeclared: Readonly<Record<string, string>> = {
  "packages/db/src/sql.ts": "hands what is declared to the driver",
  "packages/db/src/in-one-statement.ts":
    "makes one statement of several that are declared, as they meet",
  "packages/events/src/queue-lookup.ts":
    "is composed of what its caller says of accounts; it is described below as the gateway has it",
  "packages/testkit/src/described-statement.ts": "has statements described, which stay unnamed",
  "packages/testkit/src/footprint.ts": "is composed of the names of all tables",
  "packages/testkit/src/row-types.ts": "has declared statements described",
};

/** Returns the names of statements in a source that are not passed to `statement`. */
function undeclaredIn(text: string): string[] {
  return [...text.matchAll(namedText)].flatMap(([, before = "", name = "name"]) =>
    before.endsWith("statement(") ? [] : [name],
  );
}

describe("declared statements", () => {
  const db = useDatabase();

  it("have the rows that PostgreSQL describes, in files that `npm run generate` writes", async () => {
    const wanted = await describedRows();
    const stale: string[] = [];
    for (const [file, text] of wanted) {
      const present = await readFile(join(root, file), "utf8").catch(() => undefined);
      if (present !== text) stale.push(file);
    }
    stale.push(...presentRowsFiles().filter((path) => !wanted.has(path)));
    expect(stale, "run `npm run generate`").to.deep.equal([]);
    // Who reads the sources of a package finds the rows by its index.
    for (const file of wanted.keys())
      expect(await readFile(join(root, dirname(file), "index.ts"), "utf8"), file).to.include(
        'export type * from "./statement-rows.ts";',
      );
    expect(wanted.size).to.be.greaterThan(5);
  });

  it("rule out a null only where PostgreSQL does not", async () => {
    const described = readNotNull();
    const superfluous = declaredStatements().flatMap(({ name, overrides = {} }) =>
      Object.keys(overrides)
        .filter((column) => overrides[column]?.isNotNull && described.get(name)?.includes(column))
        .map((column) => `${name}: ${column}`),
    );
    expect(superfluous).to.deep.equal([]);
    expect(described.size).to.be.greaterThan(140);
  });

  it("are told of a null that an override rules out where they run in a test", async () => {
    const total: NamedStatement<{ total: number }> = {
      name: "a-null-that-is-ruled-out",
      text: "SELECT sum(id)::int AS total FROM users WHERE false",
      overrides: { total: notNull },
    };
    const refusal = await db.rows(total).catch((error: Error) => error.message);
    expect(refusal).to.match(/total is null/);
  });

  it("are told of a null that their described type rules out where they run in a test", async () => {
    const realm: NamedStatement<{ id: number }> = {
      name: "active-realms",
      text: "SELECT NULL::int AS id",
    };
    const refusal = await db.rows(realm).catch((error: Error) => error.message);
    expect(refusal).to.match(/id is null/);
  });

  it("have names that no other statement has, declared or not", async () => {
    const sources = await readProductionFiles(["packages", "apps"]);
    const names = sources.flatMap(({ text }) =>
      [
        ...text.matchAll(/\bname:\s*"([^"]+)",\s*(?:\/\/[^\n]*\s*)*(?:text|compose|overrides):/g),
      ].map((match) => match[1]),
    );
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    expect(twice).to.deep.equal([]);
    expect(names.length).to.be.greaterThan(100);
  });

  it("have names that begin with bouncer if and only if they are the bouncer's", async () => {
    const sources = await readProductionFiles(["packages", "apps"]);
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:statement|composed)\(\{\s*name:\s*"([^"]+)"/g)]
        .map(([, name = ""]) => name)
        .filter((name) => isOfBouncer(name) !== /^apps\/(bouncer|cli\/src\/bouncer)\//.test(path)),
    );
    expect(wrong).to.deep.equal([]);
  });

  it("are the only statements with a name and a text", async () => {
    const sources = await readProductionFiles(["packages", "apps"]);
    const found = sources.flatMap(({ path, text }) =>
      undeclaredIn(text).map((name) => ({ path, name })),
    );
    const missed = found.filter(({ path }) => !(path in undeclared));
    expect(missed, "declare them with statement()").to.deep.equal([]);
    const paths = new Set(found.map(({ path }) => path));
    expect(Object.keys(undeclared).filter((path) => !paths.has(path))).to.deep.equal([]);
  });

  it("would be missed where a name and a text are handed on undeclared", () => {
    expect(undeclaredIn('const one = { name: "one", text: "SELECT 1" };')).to.deep.equal(['"one"']);
    expect(
      undeclaredIn(
        'sql.rows<Row>(\n  {\n    name: "two",\n    // Why.\n    text: `SELECT 2`,\n  })',
      ),
    ).to.deep.equal(['"two"']);
    expect(undeclaredIn("(name: string, text: string) => ({ name, text })")).to.deep.equal([
      "name",
    ]);
    expect(undeclaredIn('statement({ name: "three", text: "SELECT 3" })')).to.deep.equal([]);
  });

  it("are refused a name that is taken", () => {
    expect(() => statement({ name: "active-realms", text: "SELECT 1" })).to.throw(
      /two statements named active-realms/,
    );
  });
});
