import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path/posix";
import { expect } from "chai";
import { layers, reserved, restricted } from "./layers.ts";
import { isForTests, readSources, sourceFile, type SourceFile } from "./source-files.ts";

const root = new URL("../../", import.meta.url);

describe("the layers", () => {
  let files: SourceFile[];

  before(async () => {
    files = (await readSources()).filter(isProduction);
    expect(files.length).to.be.greaterThan(200);
  });

  it("hold for every import", () => {
    expect(files.flatMap(violations)).to.deep.equal([]);
  });

  it("match package.json, which names exactly the imported packages", async () => {
    const workspaces = [...new Set(files.map(({ path }) => workspaceOf(path)))];
    for (const workspace of workspaces) {
      const text = await readFile(new URL(`${workspace}/package.json`, root), "utf8");
      const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
      const declared = Object.keys(dependencies).filter((name) => name.startsWith("@carillon/"));
      const imported = files
        .filter(({ path }) => path.startsWith(`${workspace}/`))
        .flatMap(({ imports }) => imports.filter((name) => name.startsWith("@carillon/")));
      expect(declared.toSorted(), workspace).to.deep.equal([...new Set(imported)].toSorted());
    }
  });

  // oxlint finds circles of files (`import/no-cycle`), and tsc refuses circles of project references.
  it("have no cycle of folders inside a package", () => {
    expect(edgesInCircles(edgesBetween((folder) => folder))).to.deep.equal([]);
  });

  it("have no cycle of the folders directly below src, each with all that it contains", () => {
    const belowSource = (folder: string) => folder.split("/").slice(0, 4).join("/");
    expect(edgesInCircles(edgesBetween(belowSource))).to.deep.equal([]);
  });

  /** Returns the imports between folders, mapped by `nodeOf`. */
  function edgesBetween(nodeOf: (folder: string) => string) {
    return files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith("."))
        .map((name) => [dirname(path), dirname(join(dirname(path), name))] as const)
        .filter((edge) => edge.every(isArea))
        .map(([from, to]) => [nodeOf(from), nodeOf(to)] as const)
        .filter((edge) => !nested(...edge)),
    );
  }

  const refused: ReadonlyArray<readonly [path: string, text: string]> = [
    ["packages/kit/src/a.ts", 'import { x } from "@carillon/db";'],
    ["packages/db/src/a.ts", 'export * from "@carillon/domain";'],
    ["packages/domain/src/a.ts", 'import Koa from "koa";'],
    ["apps/worker/src/a.ts", 'const { Queue } = await import("bullmq");'],
    ["apps/gateway/src/a.ts", 'import { x } from "@carillon/worker";'],
    ["apps/gateway/src/a.ts", 'import { x } from "../../worker/src/b.ts";'],
    ["apps/gateway/src/a.ts", 'import { x } from "@carillon/testkit";'],
    ["packages/events/src/a.ts", 'import { x } from "@carillon/db/generated/client";'],
    ["apps/gateway/src/a.ts", "const port = process.env.PORT;"],
    ["packages/db/src/a.ts", 'import { env } from "node:process";'],
    ["apps/web/src/a.tsx", 'import { x } from "@carillon/contract";'],
    ["apps/gateway/src/a.ts", 'import { render } from "preact";'],
  ];
  for (const [path, text] of refused)
    it(`refuse ${text} in ${path}`, () => {
      expect(violations(sourceFile(path, text))).to.have.length(1);
    });

  it("refuse cycles", () => {
    expect(
      edgesInCircles([
        ["a", "b"],
        ["b", "c"],
        ["c", "b"],
        ["c", "d"],
      ]),
    ).to.deep.equal(["b → c", "c → b"]);
  });
});

/** Returns the rules that the file breaks, one line each. */
function violations({ path, imports, readsEnvironment }: SourceFile): string[] {
  const workspace = workspaceOf(path);
  const broken = imports.flatMap((name) => {
    const rule = ruleBrokenBy(path, workspace, name);
    return rule === undefined ? [] : [`${path} imports ${name}: ${rule}`];
  });
  if (readsEnvironment && workspace !== "packages/kit")
    broken.push(`${path} reads process.env: only kit does`);
  return broken;
}

function ruleBrokenBy(path: string, workspace: string, name: string): string | undefined {
  if (name.startsWith("."))
    return workspaceOf(join(dirname(path), name)) === workspace
      ? undefined
      : "another package is imported by its name";
  const [, own, rest] = /^@carillon\/([^/]+)(\/.*)?$/.exec(name) ?? [];
  if (own !== undefined) {
    if (rest !== undefined) return "a package is imported as a whole";
    const allowed = restricted.get(workspace);
    if (allowed && !allowed.includes(own)) return "the workspace imports fewer of our packages";
    return layerOf(`packages/${own}`) <= layerOf(workspace)
      ? undefined
      : "a package imports its own layer and lower ones";
  }
  const rule = reserved.find(({ names }) => names.test(name));
  return rule === undefined || rule.only.includes(workspace)
    ? undefined
    : `only ${rule.only.join(", ")} may`;
}

/** Returns the layer of a workspace, from 0; workspaces in no layer may not be imported. */
function layerOf(workspace: string): number {
  const at = layers.findIndex((names) => names.includes(workspace.replace(/^packages\//, "")));
  return at < 0 ? layers.length : at;
}

/** `packages/NAME` or `apps/NAME`. */
function workspaceOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

/**
 * Whether it is a folder below `src`. Files directly in `src` connect the folders or are shared by them, so they do not
 * count.
 */
function isArea(folder: string): boolean {
  return folder.split("/").length > 3;
}

/** Removes edges from folders that nothing imports and to folders that import nothing, until only cycles are left. */
function edgesInCircles(edges: ReadonlyArray<readonly [from: string, to: string]>): string[] {
  const froms = new Set(edges.map(([from]) => from));
  const tos = new Set(edges.map(([, to]) => to));
  const rest = edges.filter(([from, to]) => tos.has(from) && froms.has(to));
  return rest.length < edges.length
    ? edgesInCircles(rest)
    : [...new Set(rest.map(([from, to]) => `${from} → ${to}`))].toSorted();
}

/** Whether one folder contains the other. */
function nested(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

/** Code that runs in production. Tests, testkit and the bundler may import anything. */
function isProduction({ path }: SourceFile): boolean {
  return (
    /^(packages|apps)\/[^/]+\/src\//.test(path) &&
    !/^packages\/(testkit|bundler)\//.test(path) &&
    !isForTests(path)
  );
}
