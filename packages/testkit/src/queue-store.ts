import { randomBytes } from "node:crypto";
import { silentLogger, type Logger } from "@carillon/kit";
import { prepareQueues, type QueueConfig, type Queues } from "@carillon/queue";
import { Redis } from "ioredis";
import { openQueues } from "./open-queues.ts";
import { longTimeouts } from "./long-timeouts.ts";
import { postgresUrl, redisUrl, withDatabase } from "./servers.ts";
import { administer, dropDatabase } from "./template.ts";
import { waitFor } from "./wait-for.ts";

/** A store for one test file: a database, or a prefix on Redis. */
export interface TestStore {
  readonly config: QueueConfig;
  connect(overrides?: Partial<QueueConfig>): Promise<Queues>;
  drop(): Promise<void>;
}

export const storeKinds = ["postgres", "redis"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** For `before`: skips the tests visibly if there is no server. */
export function needServer(kind: StoreKind, context: { skip(): never }): void {
  if (kind === "redis" && !redisUrl()) context.skip();
}

/** A fresh, prepared store. */
export async function openStore(
  kind: StoreKind,
  url = kind === "postgres" ? postgresUrl() : redisUrl(),
  log: Logger = silentLogger,
): Promise<TestStore> {
  if (!url) throw new Error(`there is no ${kind} server for the tests; run them with npm test`);
  const name = `queue_test_${randomBytes(6).toString("hex")}`;
  const config: QueueConfig =
    kind === "postgres"
      ? { databaseUrl: withDatabase(url, name), log, connectMs: longTimeouts.connectMs }
      : { databaseUrl: "postgres://unused.invalid/", redisUrl: url, redisPrefix: name, log };
  if (kind === "postgres")
    await administer((client) => client.query(`CREATE DATABASE ${name}`), url);
  await prepareQueues(config);
  const open = openQueues(config);
  return {
    config,
    connect: open.connect,
    async drop() {
      await open.close();
      if (kind === "postgres") await dropDatabase(name);
      else await removeKeys(url, name);
    },
  };
}

/** {@link waitFor} with the arguments in the order that reads best in queue tests. */
export async function waitUntil(
  what: string,
  check: () => boolean | Promise<boolean>,
  limitMs?: number,
): Promise<void> {
  await waitFor(check, { what, timeoutMs: limitMs, everyMs: 10 });
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
  redis.disconnect();
}
