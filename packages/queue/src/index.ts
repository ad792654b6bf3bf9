export * from "./await-children.ts";
export type { QueueConfig } from "./backend.ts";
export * from "./hand-back.ts";
export type { JobPresence, JobView, QueueCounts } from "./inspect.ts";
export { keyPrefix, openRedis, type RedisClient } from "./open-redis.ts";
export { connectQueues, prepareQueues, type Queues } from "./queues.ts";
export type { Run, WorkerHandle } from "./worker.ts";
