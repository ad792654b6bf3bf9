import { StartupError, type Logger } from "@carillon/kit";
import { keyPrefix, openRedis, servers, type RedisClient } from "./open-redis.ts";
import { createRedisBackend } from "bullmq";
import type { Backend } from "./backend.ts";

const connectionOptions = {
  lazyConnect: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  // Detects a connection whose other end vanished.
  socketTimeout: 10_000,
  maxRetriesPerRequest: 1,
  retryStrategy: null,
} as const;

/**
 * Checks that Redis keeps the jobs it is given.
 * @throws StartupError naming REDIS_URL: not reachable, too old, or configured to evict keys
 */
export async function prepareRedis(redisUrl: string, log: Logger): Promise<void> {
  const client = openRedis(redisUrl, connectionOptions);
  const lastError = watchErrors(client);
  try {
    await client.connect();
    for (const server of servers(client)) {
      checkVersion(field(await server.info("server"), "redis_version"));
      // INFO also works where CONFIG is forbidden, as on managed servers.
      const policy = field(await server.info("memory"), "maxmemory_policy");
      if (policy !== undefined && policy !== "noeviction") {
        throw new StartupError(
          `REDIS_URL: this Redis has maxmemory-policy ${policy} and may evict jobs; set the policy to noeviction`,
        );
      }
      if (field(await server.info("persistence"), "aof_enabled") === "0") {
        log.warn(
          "Redis has no append-only file: after a restart of Redis the sweep must re-create the delivery jobs",
        );
      }
    }
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unreachable(lastError() ?? error);
  } finally {
    client.disconnect();
  }
}

/** Records errors of a client, its Sentinels and its nodes. @returns a function that returns the latest one */
function watchErrors(client: RedisClient): () => unknown {
  let last: unknown;
  for (const event of ["error", "sentinelError", "node error"])
    client.on(
      event,
      (error: unknown) => (last = (error as { lastNodeError?: unknown }).lastNodeError ?? error),
    );
  return () => last;
}

/** The oldest Redis that Carillon runs on (docs/operating.md). */
const oldest = [6, 2] as const;

/**
 * Checks the version of Redis.
 * @throws StartupError naming REDIS_URL
 */
function checkVersion(version: string | undefined): void {
  const [major = 0, minor = 0] = version?.split(".").map(Number) ?? [];
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new StartupError(
    `REDIS_URL: this is Redis ${version ?? "of an unknown version"}; Carillon requires ${oldest.join(".")} or later`,
  );
}

/**
 * Connects two clients: one for adding jobs that fails at once while Redis is unavailable, one for workers that
 * waits.
 * @throws StartupError naming REDIS_URL
 */
export async function connectRedis(
  redisUrl: string,
  prefix: string,
  log: Logger,
): Promise<Backend> {
  await prepareRedis(redisUrl, log);
  const producer = openRedis(redisUrl, {
    ...connectionOptions,
    retryStrategy,
    enableOfflineQueue: false,
    commandTimeout: 5_000,
  });
  const consumer = openRedis(redisUrl, {
    ...connectionOptions,
    retryStrategy,
    maxRetriesPerRequest: null,
    blockingDuplicates: true,
  });
  for (const client of [producer, consumer]) {
    client.setMaxListeners(100);
    client.on("error", (error) => log.warn({ err: error }, "Redis connection failed"));
  }
  try {
    await Promise.all([producer.connect(), consumer.connect()]);
  } catch (error) {
    producer.disconnect();
    consumer.disconnect();
    throw unreachable(error);
  }
  return {
    kind: "redis",
    producer,
    consumer,
    factory: createRedisBackend,
    prefix: keyPrefix(producer, prefix),
    workerLimit: Infinity,
    ping: () => consumer.ping(),
    async close() {
      producer.disconnect();
      consumer.disconnect();
    },
  };
}

/** Waits at most half a second, so that workers resume soon after Redis returns. */
function retryStrategy(times: number): number {
  return Math.min(500, 50 * times);
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

function unreachable(error: unknown): StartupError {
  const why = error instanceof Error ? error.message : String(error);
  // Errors of OpenSSL end with a line break.
  return new StartupError(`REDIS_URL: cannot connect to Redis: ${why.trim()}`, { cause: error });
}
