import { basename, dirname, join } from "node:path/posix";
import { expect } from "chai";
import { ranks } from "./ranks.ts";
import { readSources, sourceFile, type SourceFile } from "./source-files.ts";

describe("the ranks inside a package", () => {
  let files: SourceFile[];

  before(async () => {
    files = (await readSources()).filter(({ path }) => !isTest(path));
  });

  it("are kept: every folder imports only from ranks below its own", () => {
    expect(files.flatMap(rankOf).length).to.be.greaterThan(150);
    expect(files.flatMap(upward)).to.deep.equal([]);
  });

  it("name every folder", () => {
    const nameless = files.filter(
      ({ path }) => packageOf(path) && !path.endsWith("/index.ts") && rankOf({ path }).length === 0,
    );
    expect(nameless.map(({ path }) => path)).to.deep.equal([]);
  });

  it("name only folders that are there", () => {
    const there = new Set(files.map(({ path }) => placeOf(path)));
    const named = Object.entries(ranks).flatMap(([root, lines]) =>
      lines.flat().map((folder) => join(root, folder)),
    );
    expect(named.filter((folder) => !there.has(folder))).to.deep.equal([]);
  });

  const refused: ReadonlyArray<readonly [path: string, imported: string]> = [
    ["packages/domain/src/channels/a.ts", "../users/b.ts"],
    ["packages/domain/src/messages/read/narrow/a.ts", "../b.ts"],
    ["packages/domain/src/notices/a.ts", "../scheduled/b.ts"],
    ["packages/model/src/permissions/a.ts", "../realms.ts"],
  ];
  for (const [path, imported] of refused)
    it(`would not let ${path} import ${imported}`, () => {
      expect(upward(sourceFile(path, `import { b } from "${imported}";`))).to.have.length(1);
    });

  it("let a folder import itself and what lies below", () => {
    const text = 'import { a } from "./b.ts";\nimport { c } from "../messages/send/send.ts";';
    expect(upward(sourceFile("packages/domain/src/channels/a.ts", text))).to.deep.equal([]);
  });
});

/** The imports of a file that do not lead to a lower rank, one line each. */
function upward(file: SourceFile): string[] {
  return rankOf(file).flatMap((own) =>
    file.imports
      .filter((name) => name.startsWith("."))
      .map((name) => join(dirname(file.path), name))
      .filter((path) => placeOf(path) !== placeOf(file.path))
      .filter((path) => rankOf({ path }).some((rank) => rank >= own))
      .map((path) => `${file.path} imports ${path}, which does not stand below it`),
  );
}

/** The place of the file's folder in the list of its package; none for what is in no list. */
function rankOf({ path }: { readonly path: string }): number[] {
  const root = packageOf(path);
  if (!root) return [];
  const place = placeOf(path).slice(root.length + 1);
  const rank = ranks[root]?.findIndex((line) => line.includes(place)) ?? -1;
  return rank < 0 ? [] : [rank];
}

/** The folder of a file; of a file directly in its package, the file without its ending. */
function placeOf(path: string): string {
  const folder = dirname(path);
  return folder in ranks ? join(folder, basename(path, ".ts")) : folder;
}

function packageOf(path: string): string | undefined {
  return Object.keys(ranks).find((root) => path.startsWith(`${root}/`));
}

function isTest(path: string): boolean {
  return /\.test\.ts$|\/test-support\.ts$/.test(path);
}
