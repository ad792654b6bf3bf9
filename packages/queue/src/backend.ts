import type { Logger } from "@carillon/kit";
import type { BackendFactory, ConnectionOptions, RedisQueueBackend } from "bullmq";

/** The BullMQ store that this process uses, and its connections there. */
export interface Backend {
  readonly kind: "postgres" | "redis";
  /** For queues that add jobs: fails fast while the store is unavailable. */
  readonly producer: ConnectionOptions;
  /** For workers: waits until the store is available again. */
  readonly consumer: ConnectionOptions;
  readonly factory: BackendFactory<RedisQueueBackend>;
  /** Prefix of the keys on Redis; PostgreSQL uses a separate schema instead. */
  readonly prefix: string;
  /** For how many workers the connections suffice. */
  readonly workerLimit: number;
  /** Resolves if the store answers a worker. */
  ping(): Promise<unknown>;
  /** Closes the connections; close queues and workers first. */
  close(): Promise<void>;
}

/** Where the queues are stored, and how many connections they may use. */
export interface QueueConfig {
  databaseUrl: string;
  /** If set, the queues are on Redis; otherwise in the database, schema `bullmq`. */
  redisUrl?: string | undefined;
  log: Logger;
  /** Maximum number of connections to PostgreSQL; every worker holds one of them while it lives. */
  poolSize?: number;
  /** Connection timeout for PostgreSQL in milliseconds; 5,000 unless given. */
  connectMs?: number;
  /** Prefix of the keys on Redis. */
  redisPrefix?: string;
}
