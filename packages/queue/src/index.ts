export { createAlarmClock, type RunningAlarmClock } from "./alarm-clock.ts";
export type { QueueConfig } from "./backend.ts";
export * from "./hand-back.ts";
export { intentPublications, publishIntents } from "./intent-publisher.ts";
export type { JobPresence, JobView, QueueCounts, QueueInspection } from "./inspect.ts";
export { connectQueues, prepareQueues, type Queues } from "./queues.ts";
export type { Run, WorkerCounters, WorkerHandle, WorkerOptions } from "./worker.ts";
