import { randomBytes } from "node:crypto";
import { silentLogger, type Logger } from "@carillon/kit";
import { Redis } from "ioredis";
import pg from "pg";
import { connectQueues, prepareQueues, type Queues } from "./queues.ts";
import type { QueueConfig } from "./backend.ts";

/** A store for one test file: a database of its own, or a prefix of its own on Redis. */
export interface TestStore {
  readonly config: QueueConfig;
  connect(overrides?: Partial<QueueConfig>): Promise<Queues>;
  drop(): Promise<void>;
}

/** The servers that `npm test` starts; a missing one skips its half. */
export const testServers = {
  postgres: process.env["CARILLON_TEST_DATABASE_URL"],
  redis: process.env["CARILLON_TEST_REDIS_URL"],
};

export const storeKinds = ["postgres", "redis"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** In `before`: skips the tests, visibly, where there is no server for them. */
export function needServer(kind: StoreKind, context: { skip(): never }): void {
  if (!testServers[kind]) context.skip();
}

/** A fresh, prepared store. */
export async function openStore(
  kind: StoreKind,
  url = testServers[kind],
  log: Logger = silentLogger,
): Promise<TestStore> {
  if (!url) throw new Error(`there is no ${kind} server for the tests; run them with npm test`);
  const name = `queue_test_${randomBytes(6).toString("hex")}`;
  const config: QueueConfig =
    kind === "postgres"
      ? { databaseUrl: withDatabase(url, name), log }
      : { databaseUrl: "postgres://unused.invalid/", redisUrl: url, redisPrefix: name, log };
  if (kind === "postgres") await administer(url, `CREATE DATABASE ${name}`);
  await prepareQueues(config);
  const open: Queues[] = [];
  return {
    config,
    async connect(overrides = {}) {
      const queues = await connectQueues({ ...config, ...overrides });
      open.push(queues);
      return queues;
    },
    async drop() {
      await Promise.all(open.map((queues) => queues.close()));
      if (kind === "postgres") await administer(url, `DROP DATABASE ${name} WITH (FORCE)`);
      else await removeKeys(url, name);
    },
  };
}

/** Waits until `check` is true; fails, with what was awaited, after `limitMs`. */
export async function waitFor(
  what: string,
  check: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
  redis.disconnect();
}
