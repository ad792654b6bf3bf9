import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { npmScriptsIn, pathsIn } from "./named-things.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (path: string) => readFile(join(root, path), "utf8");

describe("the guides", () => {
  for (const guide of [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/configuration.md",
    "docs/integrations.md",
    "docs/operating.md",
    "docs/scaling.md",
    "docs/scheduling.md",
    "docs/security.md",
    "docs/web-client.md",
    "docs/decisions/README.md",
    "docs/development/data.md",
    "docs/development/integrations.md",
    "docs/development/jobs.md",
    "docs/development/operations.md",
    "docs/development/tests.md",
    "packages/client/README.md",
  ]) {
    it(`name only files and commands that exist: ${guide}`, async () => {
      const text = await textOf(guide);
      const missing = pathsIn(text).filter(
        (path) =>
          !existsSync(join(root, sourceOf(path))) && !existsSync(join(root, dirname(guide), path)),
      );
      expect(missing, "files").to.deep.equal([]);
      const { scripts } = JSON.parse(await textOf("package.json")) as { scripts: object };
      const unknown = npmScriptsIn(text).filter((name) => !(name in scripts));
      expect(unknown, "scripts of package.json").to.deep.equal([]);
    });
  }

  it("report a file or a command that does not exist", () => {
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

  it("name an existing test for each failure in the table of operating.md", async () => {
    const [, section = ""] = (await textOf("docs/operating.md")).split(
      "## Failures that the tests",
    );
    const rows = (section.split("\n## ")[0] ?? "")
      .split("\n")
      .filter((line) => line.startsWith("| "));
    const shownBy = rows.map((row) => row.split("|").at(-2) ?? "");
    const names = shownBy.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)]);
    const tests = names.map(([, name]) => `test/faults/${name}.test.ts`);
    expect(tests.length).to.be.greaterThan(10);
    expect(tests.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });

  it("keep CONTRIBUTING.md short enough to be read", async () => {
    expect((await textOf("CONTRIBUTING.md")).length).to.be.at.most(8_000);
  });
});

/** What is built comes from a source, also where nothing has been built yet. */
function sourceOf(path: string): string {
  return path.replace(/^(apps\/\w+)\/dist\/(.*)\.js$/, "$1/src/$2.ts");
}
