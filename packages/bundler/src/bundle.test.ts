import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";

import { bundle } from "./bundle.mjs";

describe("The bundle of an app", () => {
  const own = fileURLToPath(new URL("../../../apps", import.meta.url));
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(own, ".bundled-"));
    await put("package.json", '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const built = () => readdir(join(folder, "dist"));
  const run = async (name: string) =>
    (await import(`${pathToFileURL(join(folder, "dist", name)).href}?${Math.random()}`)) as Record<
      string,
      unknown
    >;

  it("does not quote the source of an assertion that fails", async () => {
    await put(
      "src/main.ts",
      `import assert from "node:assert";
       import { AssertionError, deepEqual } from "assert";
       const errorOf = (work: () => void) => { try { work(); } catch (error) { return error as Error; } };
       export const errors = [
         errorOf(() => assert(1 > 2)),
         errorOf(() => assert.ok(0)),
         errorOf(() => assert(false, "why")),
         errorOf(() => deepEqual(1, 2, "same")),
         errorOf(() => assert(true)),
       ];
       export const areAssertions = errors[0] instanceof AssertionError;`,
    );
    await bundle(folder);
    const { errors, areAssertions } = await run("main.js");
    expect((errors as Array<Error | undefined>).map((error) => error?.message)).to.deep.equal([
      "Assertion failed",
      "Assertion failed",
      "why",
      "same",
      undefined,
    ]);
    expect(areAssertions).to.equal(true);
  });

  it("has only ASCII characters, which V8 stores in one byte each", async () => {
    await put(
      "src/own.ts",
      `export const own = /^[•😀-😎]$/u.test("😁") && import.meta.url !== "–";`,
    );
    await put("node_modules/theirs/package.json", "{}");
    await put(
      "node_modules/theirs/index.js",
      `\ufeffexports.dash =\u00a0/[–—]/; exports.größe = "1 µm";`,
    );
    await put(
      "src/main.ts",
      `import { own } from "./own.ts";
       import * as theirs from "theirs";
       const tag = (texts: TemplateStringsArray) => texts.join();
       export const results = [own, theirs.dash.test("a–b"), theirs.größe, tag\`“quoted” 😀\`];`,
    );
    await bundle(folder);
    const { results } = await run("main.js");
    expect(results).to.deep.equal([true, true, "1 µm", "“quoted” 😀"]);
    for (const name of await built())
      if (name.endsWith(".js"))
        expect(await readFile(join(folder, "dist", name), "utf8"), name).to.match(/^[\0-\x7f]*$/);
  });

  it("leaves String.raw as it is", async () => {
    await put("src/main.ts", "export const text = String.raw`“\\d” \\``;");
    await bundle(folder);
    expect((await run("main.js"))["text"]).to.equal("“\\d” \\`");
  });

  it("replaces a scanned folder by a list of its modules", async () => {
    await put(
      "src/deep/load.ts",
      `export const found = new URL("./things", import.meta.url) as unknown;`,
    );
    await put("src/deep/things/b.ts", "export default 2;");
    await put("src/deep/things/a/a.ts", "export default 1;");
    await put("src/deep/things/b.test.ts", "throw new Error();");
    await put("src/main.ts", `export { found } from "./deep/load.ts";`);
    await bundle(folder);
    const { found } = await run("main.js");
    expect(found).to.deep.equal([
      { file: "a/a.ts", module: { default: 1 } },
      { file: "b.ts", module: { default: 2 } },
    ]);
  });

  it("resolves files relative to each module's own path", async () => {
    await put("src/deep/files.ts", `export const it = new URL("../../a.sql", import.meta.url);`);
    await put("src/other-main.ts", `export { it } from "./deep/files.ts";`);
    await put("src/main.ts", `export const lazily = () => import("./deep/files.ts");`);
    await bundle(folder);
    const wanted = pathToFileURL(join(folder, "a.sql")).href;
    expect(String((await run("other-main.js"))["it"])).to.equal(wanted);
    const { lazily } = await run("main.js");
    expect(String((await (lazily as () => Promise<{ it: URL }>)()).it)).to.equal(wanted);
  });

  it("keeps the previous build when compiling fails", async () => {
    await put("src/main.ts", "export const version = 1;");
    await bundle(folder);
    await put("src/main.ts", `import "./gone.ts"; export const version = 2;`);
    const failure = await bundle(folder).then(
      () => "",
      ({ message }: Error) => message,
    );
    expect(failure).to.match(/Could not resolve "\.\/gone\.ts"/);
    expect((await run("main.js"))["version"]).to.equal(1);
  });

  it("keeps the previous build's chunks for a day, for running processes", async () => {
    const lazily = (version: number) => `export const version = ${version};`;
    await put("src/main.ts", `export const later = () => import("./lazy.ts");`);
    await put("src/lazy.ts", lazily(1));
    await bundle(folder);
    const first = await built();
    const running = await run("main.js");
    await put("dist/main.d.ts", "of a compiler");
    await put("src/lazy.ts", lazily(2));
    await bundle(folder);
    const later = running["later"] as () => Promise<{ version: number }>;
    expect((await later()).version).to.equal(1);
    expect(await built()).to.not.include("main.d.ts");

    const chunks = first.filter((name) => name.startsWith("lazy-"));
    for (const chunk of chunks) await utimes(join(folder, "dist", chunk), 0, 0);
    await bundle(folder);
    expect(await built()).to.have.length(first.length);
    expect(await readFile(join(folder, "dist", "main.js"), "utf8")).not.to.include(chunks[0]);
  });

  it("keeps chunks of the previous build even if they are old", async () => {
    await put("src/main.ts", `export const later = () => import("./lazy.ts");`);
    await put("src/lazy.ts", "export const version = 1;");
    await bundle(folder);
    const running = await run("main.js");
    for (const name of await built()) await utimes(join(folder, "dist", name), 0, 0);
    for (const version of [2, 3]) {
      await put("src/lazy.ts", `export const version = ${version};`);
      await bundle(folder);
    }
    const later = running["later"] as () => Promise<{ version: number }>;
    expect((await later()).version).to.equal(1);
  });

  it("logs an error with the original file, line and column of each call, and the names of functions", async () => {
    const kit = fileURLToPath(new URL("../../kit/src/index.ts", import.meta.url));
    await put(
      "src/deep/thrower.ts",
      `/** A comment, which bundles leave out. */
interface Order {
  readonly table: number;
}

export async function cookDinner({ table }: Order): Promise<never> {
  await null;
  throw new Error(\`no soup for table \${table}\`);
}
`,
    );
    await put(
      "src/main.ts",
      `import { createLogger } from ${JSON.stringify(kit)};

const log = createLogger("kitchen");
try {
  const { cookDinner } = await import("./deep/thrower.ts");
  await cookDinner({ table: 7 });
} catch (error) {
  log.error({ err: error }, "dinner failed");
}
`,
    );
    await bundle(folder);
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "dist", "main.js")], {
      encoding: "utf8",
    });
    const line = stdout.split("\n").find((text) => text.includes("dinner failed"));
    expect(line, stderr).to.be.a("string");
    const { err } = JSON.parse(line ?? "") as { err: { stack: string } };
    const source = (path: string) => pathToFileURL(join(folder, "src", path)).href;
    expect(err.stack).to.contain("Error: no soup for table 7");
    expect(err.stack).to.contain(`at cookDinner (${source("deep/thrower.ts")}:8:9)`);
    expect(err.stack).to.contain(`${source("main.ts")}:6:3`);
    expect(err.stack).not.to.contain("/dist/");
  });

  it("refuses a dynamic import of a CommonJS package, except through one of our modules", async () => {
    await put("src/main.ts", `export const pool = async () => (await import("undici")).Pool;`);
    const failure = await bundle(folder).then(
      () => "",
      ({ message }: Error) => message,
    );
    expect(failure).to.match(/^undici\/index\.js is CommonJS and has no named exports/);
    await put("src/undici.ts", `export { Pool } from "undici";`);
    await put("src/main.ts", `export const pool = async () => (await import("./undici.ts")).Pool;`);
    await bundle(folder);
    const { pool } = await run("main.js");
    expect(await (pool as () => Promise<unknown>)()).to.be.a("function");
  });
});
