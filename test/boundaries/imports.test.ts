import { readFile, readdir } from "node:fs/promises";
import { expect } from "chai";
import { violations } from "./rules.ts";
import { readSources, sourceFile, type SourceFile } from "./source-files.ts";

const root = new URL("../../", import.meta.url);

describe("the boundaries between packages", () => {
  let files: SourceFile[];

  before(async () => {
    files = await readSources();
  });

  it("are kept by every import and every look at the environment", () => {
    expect(files.length).to.be.greaterThan(200);
    expect(files.flatMap((file) => file.imports).length).to.be.greaterThan(500);
    expect(violations(files)).to.deep.equal([]);
  });

  it("are written down: what a package imports of ours stands in its package.json", async () => {
    const missing: string[] = [];
    for (const group of ["packages", "apps"]) {
      for (const name of await readdir(new URL(group, root))) {
        const text = await readFile(new URL(`${group}/${name}/package.json`, root), "utf8");
        const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
        const imported = files
          .filter(({ path }) => path.startsWith(`${group}/${name}/src/`))
          .filter(({ path }) => !/\.test\.ts$|\/test-support(\.ts|\/)/.test(path))
          .flatMap((file) => file.imports.filter((from) => from.startsWith("@carillon/")));
        for (const from of new Set(imported)) {
          if (!(from in dependencies)) missing.push(`${group}/${name} imports ${from}`);
        }
      }
    }
    expect(missing).to.deep.equal([]);
  });

  /** A file as it must not be, and what is said about it. */
  const refused: ReadonlyArray<readonly [path: string, text: string, rule: RegExp]> = [
    ["packages/kit/src/a.ts", 'import { x } from "@carillon/db";', /kit may import none of ours/],
    ["packages/contract/src/a.ts", 'import type { J } from "@carillon/jobs";', /one way/],
    ["packages/db/src/a.ts", 'export * from "@carillon/domain";', /one way/],
    ["packages/db/src/a.ts", 'import type { J } from "@carillon/jobs";', /one way/],
    ["packages/queue/src/a.ts", 'import { x } from "@carillon/events";', /one way/],
    ["packages/domain/src/a.ts", 'import { \n  a, \n  b, \n } from "@carillon/queue";', /one way/],
    ["packages/domain/src/a.ts", 'import Koa from "koa";', /Koa/],
    ["packages/domain/src/a.ts", 'import Router from "@koa/router";', /Koa/],
    ["apps/worker/src/a.ts", 'import type { Context } from "koa";', /Koa/],
    ["apps/worker/src/a.ts", 'const { Queue } = await import("bullmq");', /BullMQ/],
    ["apps/dashboard/src/a.ts", 'import { Queue } from "bullmq";', /BullMQ/],
    ["apps/worker/src/a.ts", 'import { x } from "@bull-board/api";', /bull-board/],
    ["apps/gateway/src/a.ts", 'import { x } from "@carillon/worker";', /nobody imports an app/],
    ["apps/gateway/src/a.ts", 'import { x } from "../../worker/src/b.ts";', /by its name/],
    ["apps/gateway/src/a.ts", 'import { x } from "@carillon/embedded";', /one way/],
    ["packages/queue/src/a.ts", 'import { x } from "@prisma/client";', /Prisma Client/],
    [
      "packages/domain/src/a.ts",
      'import { x } from "@carillon/db/generated/client";',
      /as a whole/,
    ],
    [
      "packages/events/src/a.ts",
      'import { x } from "../../db/src/generated/client.ts";',
      /by its name/,
    ],
    [
      "apps/gateway/src/a.ts",
      'import { x } from "@carillon/testkit";',
      /only tests import testkit/,
    ],
    ["packages/db/src/a.ts", 'import { x } from "@carillon/db";', /by their paths/],
    ["apps/gateway/src/a.ts", "const port = process.env.PORT;", /process\.env/],
    ["apps/gateway/src/a.ts", 'const { env } = process["env"];', /process\.env/],
    ["packages/db/src/a.ts", 'import { env } from "node:process";', /process\.env/],
  ];
  for (const [path, text, rule] of refused) {
    it(`would not let ${path} say ${text.replaceAll(/\s+/g, " ")}`, () => {
      const found = violations([sourceFile(path, text)]);
      expect(found).to.have.length(1);
      expect(found[0]).to.match(rule);
    });
  }

  it("let through what they are there for", () => {
    const fine: ReadonlyArray<readonly [path: string, text: string]> = [
      ["packages/domain/src/a.ts", 'import { x } from "@carillon/events";\nimport "./b.ts";'],
      ["packages/db/src/a.test.ts", 'import { x } from "@carillon/testkit";'],
      ["packages/db/src/deep/a.ts", 'import { x } from "../generated/client.ts";'],
      ["apps/dashboard/src/a.ts", 'import { x } from "@bull-board/koa";\nimport Koa from "koa";'],
      ["apps/standalone/src/a.ts", 'import { x } from "@carillon/embedded";'],
      ["packages/testkit/src/a.ts", 'import { x } from "@carillon/gateway"; process.env.X;'],
      ["packages/kit/src/a.ts", "export const port = process.env.PORT;"],
      ["packages/db/src/a.ts", "// A comment may name process.env and import(bullmq).\n"],
      ["test/e2e/a.test.ts", 'import { x } from "@carillon/testkit"; process.env.X;'],
    ];
    expect(violations(fine.map(([path, text]) => sourceFile(path, text)))).to.deep.equal([]);
  });
});
