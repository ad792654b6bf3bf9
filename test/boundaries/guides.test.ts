import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { npmScriptsIn, pathsIn } from "./named-things.ts";
import { examplesOf, isNewFile, layOut } from "./worked-examples.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (path: string) => readFile(join(root, path), "utf8");
const run = promisify(execFile);

describe("the guides", () => {
  for (const guide of [
    "README.md",
    "CONTRIBUTING.md",
    "docs/operating.md",
    "docs/security.md",
    "docs/decisions/README.md",
  ]) {
    it(`name only files and commands that there are: ${guide}`, async () => {
      const text = await textOf(guide);
      const examples = guide === "CONTRIBUTING.md" ? examplesOf(text).map(({ path }) => path) : [];
      const missing = pathsIn(text).filter(
        (path) =>
          !examples.includes(path) &&
          !existsSync(join(root, sourceOf(path))) &&
          !existsSync(join(root, dirname(guide), path)),
      );
      expect(missing, "files").to.deep.equal([]);
      const { scripts } = JSON.parse(await textOf("package.json")) as { scripts: object };
      const unknown = npmScriptsIn(text).filter((name) => !(name in scripts));
      expect(unknown, "scripts of package.json").to.deep.equal([]);
    });
  }

  it("would not name a file or a command that there is not", () => {
    const text = "Run `npm run nonsense` and see [this](docs/none.md#a) and `test/none.test.ts`.\n";
    const shell = "```sh\nnpm test -- packages/none.test.ts # not apps/none.ts\n```\n";
    expect(pathsIn(text + shell)).to.have.members([
      "docs/none.md",
      "test/none.test.ts",
      "packages/none.test.ts",
    ]);
    expect(npmScriptsIn(text + shell)).to.deep.equal(["nonsense", "test"]);
    expect(
      pathsIn("`apps/gateway/src/operations/AREA/NAME.test.ts`, `packages/*/src`"),
    ).to.deep.equal([]);
  });

  it("name tests that there are, for everything that may break", async () => {
    const [, section = ""] = (await textOf("README.md")).split("## What may break");
    const rows =
      section
        .split("\n## ")[0]
        ?.split("\n")
        .filter((line) => line.startsWith("| ")) ?? [];
    const shownBy = rows.map((row) => row.split("|").at(-2) ?? "");
    const names = shownBy.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)]);
    const tests = names.map(([, name]) => `test/faults/${name}.test.ts`);
    expect(tests.length).to.be.greaterThan(10);
    expect(tests.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });

  it("have examples that compile where they are said to lie", async () => {
    const examples = examplesOf(await textOf("CONTRIBUTING.md"));
    const files = examples.filter((example) => isNewFile(root, example));
    expect(files.length).to.be.greaterThan(9);
    const folder = await mkdtemp(join(root, ".examples-"));
    try {
      await layOut(root, folder, files);
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const faults = await run(process.execPath, [tsc, "--project", folder], { cwd: root }).then(
        () => "",
        ({ stdout }: { stdout: string }) => stdout,
      );
      expect(faults.replaceAll(/\.examples-\w+\//g, "")).to.equal("");
    } finally {
      await rm(folder, { recursive: true });
    }
    const paths = files.map(({ path }) => path);
    for (const { path, text } of examples.filter((example) => !files.includes(example)))
      for (const [, target = ""] of text.matchAll(/"(\.[^"]+)"/g))
        expect(paths, `${path}: ${text}`).to.include(join(dirname(path), target));
  });
});

/** What is built comes from a source, also where nothing has been built yet. */
function sourceOf(path: string): string {
  return path.replace(/^(apps\/\w+)\/dist\/(.*)\.js$/, "$1/src/$2.ts");
}
