import { limitOf, queueNames, type Publication, type QueueName } from "@carillon/jobs";
import { StartupError, type Logger } from "@carillon/kit";
import { Queue, type Telemetry } from "bullmq";
import type { Backend, QueueConfig } from "./backend.ts";
import { connectPostgres, preparePostgres, sharedConnections } from "./postgres.ts";
import { publishChildren, publishTo } from "./publish.ts";
import { inspect, type QueueInspection } from "./inspect.ts";
import { connectRedis, prepareRedis } from "./redis.ts";
import { queueTelemetry } from "./telemetry.ts";
import { startWorker, type WorkerHandle, type WorkerOptions } from "./worker.ts";

/** The queues of one process, on the configured store. */
export interface Queues {
  readonly backend: "postgres" | "redis";
  /**
   * Adds jobs and resolves when they are in their queues. A job whose id exists already, in whatever state, is
   * silently ignored. While the store is unavailable it fails: at once if the connection is known to be lost, else after
   * 5 s (Redis) or 20 s (PostgreSQL), so limit how long a request waits for it.
   * @throws InvalidPayload or RangeError (nothing is added), or the store's error
   */
  publish<const Payloads extends readonly unknown[]>(items: {
    [Index in keyof Payloads]: Publication<Payloads[Index]>;
  }): Promise<void>;
  /**
   * Starts a worker of one queue.
   * @throws StartupError when the pool has too few connections for one more worker
   */
  worker(queue: QueueName, options: WorkerOptions): WorkerHandle;
  /** Pauses the queue: no worker takes its jobs for `ms` milliseconds from now. Only for queues with a limit. */
  pauseFor(queue: QueueName, ms: number): Promise<void>;
  /** Returns queries about one queue. */
  queue(name: QueueName): QueueInspection;
  /** BullMQ's own objects, for the dashboard. */
  bullQueues(): readonly Queue[];
  /** Closes the queues and then the connections. Close the workers first, because their running jobs may add jobs. */
  close(): Promise<void>;
}

/**
 * Prepares the store once, before any process connects: applies BullMQ's migrations on PostgreSQL, checks on Redis
 * that it evicts nothing.
 * @throws StartupError naming DATABASE_URL or REDIS_URL
 */
export async function prepareQueues(config: QueueConfig): Promise<void> {
  if (config.redisUrl) await prepareRedis(config.redisUrl, config.log);
  else await preparePostgres(config);
}

/**
 * Connects, checks the store, and only then constructs the queues.
 * @throws StartupError naming DATABASE_URL or REDIS_URL
 */
export async function connectQueues(config: QueueConfig): Promise<Queues> {
  const { log, poolSize = queueNames.length + sharedConnections } = config;
  const backend = config.redisUrl
    ? await connectRedis(config.redisUrl, config.redisPrefix ?? "carillon", log)
    : await connectPostgres(config, poolSize);
  const telemetry = await queueTelemetry();
  const bull = new Map(queueNames.map((name) => [name, construct(backend, name, log, telemetry)]));
  const workers: WorkerHandle[] = [];
  await Promise.all([...bull.values()].map((queue) => queue.waitUntilReady()));
  let closing: Promise<void> | undefined;
  const one = (name: QueueName): Queue => {
    const queue = bull.get(name);
    if (!queue) throw new RangeError(`there is no queue ${name}`);
    return queue;
  };

  return {
    backend: backend.kind,
    publish: (items) => publishTo(bull, items),
    worker(queue, options) {
      if (workers.length >= backend.workerLimit) {
        throw new StartupError(
          `poolSize is ${poolSize}: too few connections for ${workers.length + 1} workers, which hold one each`,
        );
      }
      const worker = startWorker(backend, queue, {
        ...options,
        telemetry,
        addChildren: (parent, children) => publishChildren(bull, parent, children),
      });
      workers.push(worker);
      return worker;
    },
    async pauseFor(name, ms) {
      if (!limitOf(name))
        throw new RangeError(`the queue ${name} has no rate limit, so it cannot be paused`);
      await one(name).rateLimit(Math.max(1, Math.ceil(ms)));
    },
    queue: (name) => inspect(one(name), limitOf(name)),
    bullQueues: () => [...bull.values()],
    close: () =>
      (closing ??= (async () => {
        await Promise.all([...bull.values()].map((queue) => queue.close()));
        await backend.close();
      })()),
  };
}

function construct(
  backend: Backend,
  name: QueueName,
  log: Logger,
  telemetry: Telemetry | undefined,
): Queue {
  const queue = new Queue(
    name,
    {
      connection: backend.producer,
      prefix: backend.prefix,
      // 0 would mean "never trimmed" on PostgreSQL.
      streams: { events: { maxLen: 1_000 } },
      ...(telemetry && { telemetry }),
    },
    backend.factory,
  );
  // The clients of Redis log their errors once for all queues.
  const level = backend.kind === "redis" ? "debug" : "warn";
  queue.on("error", (error) => log[level]({ err: error, queue: name }, "queue error"));
  return queue;
}
