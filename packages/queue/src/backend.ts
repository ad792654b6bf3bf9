import type { Logger } from "@carillon/kit";
import type { BackendFactory, ConnectionOptions, RedisQueueBackend } from "bullmq";

/** Which of BullMQ's stores this process uses, and the connections that it owns there. */
export interface Backend {
  readonly kind: "postgres" | "redis";
  /** For the queues that add: fails fast while the store is away. */
  readonly producer: ConnectionOptions;
  /** For workers: waits until the store is back. */
  readonly consumer: ConnectionOptions;
  readonly factory: BackendFactory<RedisQueueBackend>;
  /** Namespace of the keys on Redis; PostgreSQL has a schema of its own instead. */
  readonly prefix: string;
  /** How many workers the connections are enough for. */
  readonly workerLimit: number;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** Where the queues live and how many connections they may take. */
export interface QueueConfig {
  databaseUrl: string;
  /** Given: the queues are on Redis. Missing: in the database, schema `bullmq`. */
  redisUrl?: string | undefined;
  log: Logger;
  /** Most connections to PostgreSQL; every worker holds one of them for as long as it lives. */
  poolSize?: number;
  /** Milliseconds that a connection to PostgreSQL may take to be made, 5,000 unless given. */
  connectMs?: number;
  /** Namespace of the keys on Redis. */
  redisPrefix?: string;
}
