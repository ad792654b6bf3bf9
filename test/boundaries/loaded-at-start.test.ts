import { expect } from "chai";
import { loadedAtStart, type LoadedAtStart } from "./loaded-at-start.ts";

const common = ["@opentelemetry/api", "pg", "pino", "prom-client", "proxy-addr", "zod"];
/**
 * External packages that each process loads at the start; all others are loaded at their first use
 * (docs/decisions/036).
 */
const packages: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    ...common,
    "@koa/router",
    "bullmq",
    "gemoji",
    "ioredis",
    "koa",
    "koa-body",
    "linkify-it",
    "markdown-it",
  ],
  worker: [...common, "bullmq", "gemoji", "ioredis", "linkify-it", "markdown-it"],
  dashboard: [...common, "@koa/router", "bullmq", "ioredis", "koa"],
  bouncer: [...common, "jose", "koa"],
  standalone: common,
};

/** Files that import many others, as representatives of them. */
const later = [
  "apps/dashboard/src/board/board.ts",
  "packages/db/src/generated/client.ts",
  "packages/db/src/prisma-on-connection.ts",
];

describe("the modules that a process loads at the start", () => {
  let loaded: ReadonlyMap<string, LoadedAtStart>;

  before(async () => {
    loaded = await loadedAtStart(Object.keys(packages).map(entryOf));
  });

  for (const [app, wanted] of Object.entries(packages))
    it(`are only those that a ${app} needs to serve`, () => {
      const start = loaded.get(entryOf(app));
      expect(start?.files.size).to.be.greaterThan(50);
      expect([...(start?.packages ?? [])]).to.have.members(wanted);
      expect(later.filter((file) => start?.files.has(file))).to.deep.equal([]);
    });
});

function entryOf(app: string): string {
  return `apps/${app}/src/main.ts`;
}
