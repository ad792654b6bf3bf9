import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { bareSql, handedOver } from "./bare-sql.ts";
import { readFiles, readProductionFiles } from "./source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/*
 * `Sql` and `Tx` take only declared statements (packages/db/src/bare-statements.ts), so the type check of production
 * code refuses a text in a variable. These tests check what types do not cover.
 */
describe("SQL of production code", () => {
  const sources = async () =>
    (await readProductionFiles(["packages", "apps"], /\.tsx?$/)).filter(
      ({ path }) => !path.startsWith("packages/testkit/"),
    );

  it("is declared with statement() or composed(), where test/contract describes it", async () => {
    expect((await sources()).flatMap(bareSql)).to.deep.equal([]);
  });

  it("does not compile if a text is passed in a variable, or PostgreSQL has not described it", async () => {
    const folder = await mkdtemp(join(root, ".examples-"));
    try {
      const config = {
        extends: join(root, "tsconfig.base.json"),
        compilerOptions: { composite: false, noEmit: true },
        include: ["*.ts"],
      };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
      const source = [
        'import type { Sql, Tx } from "@carillon/db";',
        "export const one = (sql: Sql, text: string) => sql.rows(text);",
        "export const two = (tx: Tx, text: string) => tx.count(text);",
        'export const three = (tx: Tx, text: string) => tx.lock({ name: "accounts", keys: [1] }, text);',
      ];
      await writeFile(join(folder, "bare.ts"), source.join("\n"));
      await writeFile(
        join(folder, "undescribed.ts"),
        `import { statement } from "@carillon/db";
        export const one = statement({ name: "not-described-yet", text: "SELECT 1 AS one" });`,
      );
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const faults = await run(process.execPath, [tsc, "--project", folder], { cwd: root }).then(
        () => "",
        ({ stdout }: { stdout: string }) => stdout,
      );
      const lines = [...faults.matchAll(/bare\.ts\((\d+),\d+\): error TS2345/g)];
      expect(lines.map(([, line]) => line)).to.deep.equal(["2", "3", "4"]);
      expect(faults).to.match(
        /undescribed\.ts\(2,\d+\): error [^]*"not-described-yet"[^\n]*npm run generate/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is passed to the driver only in the listed files, which exist", async () => {
    const paths = new Set((await sources()).map(({ path }) => path));
    expect(Object.keys(handedOver).filter((path) => !paths.has(path))).to.deep.equal([]);
  });

  it("may be a bare text only in tests: nothing else widens the type that Sql accepts", async () => {
    const naming = (await readFiles(["packages", "apps"], /\.ts$/))
      .filter(({ text }) => /\bBareStatements\b/.test(text))
      .map(({ path }) => path);
    expect(naming.toSorted()).to.deep.equal([
      "packages/db/src/bare-statements.ts",
      "packages/db/src/statement.ts",
      "packages/testkit/src/bare-texts.ts",
    ]);
  });

  const refused: Array<[string, string]> = [
    ["a text", 'await tx.rows("DELETE FROM realms");'],
    ["a template", "sql.rows<{ id: number }>(\n  `SELECT id FROM users`,\n  [])"],
    ["a text of typed rows", "tx.first<Record<string, Array<number>>>('SELECT 1')"],
    ["a counted text", 'tx.count("UPDATE users SET role = 1")'],
    [
      "a lock",
      'tx.lock<{ id: number }>(\n { name: "accounts", keys: [id] },\n "SELECT FROM users FOR SHARE")',
    ],
    ["a text for the end", "tx.sendWithCommit(\n  `UPDATE users SET role = 1`)"],
    ["the driver", "await db.pool.query(text);"],
    ["the driver, passed on", "const { query } = { query: client.query };"],
    ["Prisma's own", "await prisma.$queryRaw`SELECT 1`"],
    ["Prisma's unsafe own", "await prisma.$executeRawUnsafe(text)"],
  ];
  for (const [what, text] of refused)
    it(`would be refused as ${what}`, () => {
      expect(bareSql({ path: "packages/domain/src/new.ts", text })).to.have.length(1);
    });

  it("is accepted where it is declared, or in a comment", () => {
    const text = [
      "// db.pool.query(text) is what this spares us.",
      'const one = statement({ name: "one", text: "SELECT 1 AS one" });',
      'tx.lock({ name: "accounts", keys: [id] }, one, [id]);',
      "const rows = await sql.rows(one, ['a', `b`]);",
      "await prisma.user.count({ where: { id } });",
    ].join("\n");
    expect(bareSql({ path: "packages/domain/src/new.ts", text })).to.deep.equal([]);
  });
});
